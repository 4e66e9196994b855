import { useRef } from 'react'

interface Props {
  label: string
  /** `row`: drags up and down. `column`: drags left and right. */
  axis: 'row' | 'column'
  /** The size of the pane after the sash, pixels. */
  size: number
  min: number
  max: number
  onSize: (size: number) => void
}

/** The line between two panes: drag it, or move it with the arrow keys. */
export function Sash({ label, axis, size, min, max, onSize }: Props) {
  const start = useRef<{ at: number; size: number } | null>(null)
  const set = (wanted: number) => onSize(Math.round(Math.max(min, Math.min(max, wanted))))
  const place = (event: React.PointerEvent) => (axis === 'row' ? event.clientY : event.clientX)
  return (
    <div
      className="sash z-5 flex-none relative"
      data-axis={axis}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={axis === 'row' ? 'horizontal' : 'vertical'}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      // WebKit would select the text that the pointer goes over; a sash that was clicked is moved on by keys.
      onMouseDown={(event) => {
        event.preventDefault()
        event.currentTarget.focus()
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { at: place(event), size }
      }}
      onPointerMove={(event) => {
        if (start.current) set(start.current.size + start.current.at - place(event))
      }}
      onPointerUp={() => (start.current = null)}
      onPointerCancel={() => (start.current = null)}
      onKeyDown={(event) => {
        const grow = axis === 'row' ? 'ArrowUp' : 'ArrowLeft'
        const shrink = axis === 'row' ? 'ArrowDown' : 'ArrowRight'
        if (event.key !== grow && event.key !== shrink) return
        event.preventDefault()
        event.stopPropagation()
        set(size + (event.key === grow ? 24 : -24))
      }}
    />
  )
}
