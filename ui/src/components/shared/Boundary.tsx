import { Component, type ReactNode } from 'react'

interface Props {
  /** Stands in the place of a part that failed: shows the error and a way to try again. */
  failed: (message: string, again: () => void) => ReactNode
  onError: (error: unknown) => void
  /** The part is drawn again when this value changes. */
  of: unknown
  children: ReactNode
}

interface Look {
  message: string | null
  of: unknown
}

/** Draws its children, and keeps an error in one of them from taking the whole window down. */
export class Boundary extends Component<Props, Look> {
  override state: Look = { message: null, of: this.props.of }

  static getDerivedStateFromError(error: unknown): Partial<Look> {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  static getDerivedStateFromProps({ of }: Props, state: Look): Partial<Look> | null {
    return of === state.of ? null : { message: null, of }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error)
  }

  override render(): ReactNode {
    const { message } = this.state
    if (message === null) return this.props.children
    return this.props.failed(message, () => this.setState({ message: null }))
  }
}
