import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'

interface Props {
  open: boolean
  title: string
  closeLabel: string
  onClose: () => void
  /** The element that gets the keyboard first; without one, the first that can have it. */
  first?: RefObject<HTMLElement | null>
  /** Room for two columns. */
  wide?: boolean
  children: ReactNode
}

/** A dialog over the window; the keyboard goes back to where it was. */
export function Modal({ open, title, closeLabel, onClose, first, wide, children }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="modal-back" />
        <Dialog.Popup className={`modal ${wide ? 'wide' : ''}`} initialFocus={first}>
          <header className="modal-head">
            <Dialog.Title className="modal-title">{title}</Dialog.Title>
            <Dialog.Close className="button quiet" aria-label={closeLabel}>
              <X size={16} />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
