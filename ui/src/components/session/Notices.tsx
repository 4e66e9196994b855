import { measureElement, useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

import { text } from '../../lib/text'
import type { Notice } from '../../lib/view/sessions'

const ESTIMATE_PX = 84

/** Tells what was found and is not in the list, and how to get it there. Stands at the foot, so that a long list does not hide it. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  'use no memo'
  const scroller = useRef<HTMLDetailsElement>(null)
  const list = useVirtualizer({
    count: notices.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE_PX,
    getItemKey: (idx) => notices[idx]?.key ?? idx,
    // Folded away, they have no size: they keep an estimated one, or all of them would fit into view.
    measureElement: (element, entry, instance) => measureElement(element, entry, instance) || ESTIMATE_PX,
    overscan: 2,
  })
  return (
    <details
      ref={scroller}
      className="drawer-notices max-h-40% flex-none text-s border-t overflow-auto pt-8"
      open
    >
      <summary className="semibold">{text.drawer.notShown(notices.length)}</summary>
      <div role="list" className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const notice = notices[index]
          if (!notice) return null
          const { harness, what, advice, path } = notice
          return (
            <div
              key={key}
              ref={list.measureElement}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={notices.length}
              className="absolute w-full top-0 left-0 break-anywhere pt-6"
              style={{ transform: `translateY(${start}px)` }}
              data-index={index}
              data-testid="notice"
              data-path={path}
            >
              <p>
                {harness && <span className="badge warn">{harness}</span>} {what}
              </p>
              {advice && <p className="muted">{advice}</p>}
              <p className="muted">{path}</p>
            </div>
          )
        })}
      </div>
    </details>
  )
}
