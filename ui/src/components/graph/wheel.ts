import { drawnPoint, drawnSize, textScale } from '../../lib/canvas/drawn'
import { panBy, viewport, zoomAt } from '../../lib/state/viewport'
import { scaleOf } from '../../lib/view/scale'

interface Wheel {
  deltaX: number
  deltaY: number
  shiftKey: boolean
  clientX: number
  clientY: number
}

/** Moves the time axis when the wheel turns over a drawing: zooms around the pointer, or scrolls. */
export function turnWheel(element: Element, event: Wheel): void {
  const scale = scaleOf(viewport.get(), drawnSize(element).width)
  const { deltaX, deltaY } = event
  if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY))
    return panBy((deltaX || deltaY) / textScale() / scale.density)
  const { x } = drawnPoint(element, event)
  zoomAt(scale.place(x), Math.exp(Math.max(-60, Math.min(60, deltaY)) * 0.0045))
}
