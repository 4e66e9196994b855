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
        <Dialog.Backdrop className="modal-back z-30 fixed inset-0" />
        <Dialog.Popup
          className={`p-16 bg-panel border rounded-8 shadow overflow-auto fixed modal z-31 ${wide ? 'wide' : ''}`}
          initialFocus={first}
        >
          <header className="row mb-10">
            <Dialog.Title className="grow text-l semibold">{title}</Dialog.Title>
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
