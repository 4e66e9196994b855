import { Menu } from '@base-ui/react/menu'
import { ImageDown } from 'lucide-react'
import { useEffect } from 'react'

import { drawnSize, textScale } from '../../lib/canvas/drawn'
import type { Picture } from '../../lib/canvas/picture'
import { useApp, type App } from '../../lib/state/app'
import { PICTURE_KINDS, fileName, pictures } from '../../lib/state/picture'
import { settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { stackOf } from '../../lib/view/bands'
import { capital, count } from '../../lib/view/format'
import { limitOf, shownBy } from '../../lib/view/happened'
import { countLevels } from '../../lib/view/levels'
import { totalAt } from '../../lib/view/position'
import { windowOf } from '../../lib/view/happened'
import { NO_SCALE, scaleOfTokens } from '../../lib/view/tokenScale'
import { passTurns } from '../../lib/view/recorded'
import type { SharedScene } from './useScene'

/** Keeps graph and timeline, as they are on the screen, as a picture. */
export function SavePicture({ shared }: { shared: SharedScene }) {
  const app = useApp()
  const busy = useStore(pictures.store, (state) => state.busy)
  useEffect(() => pictures.show(() => pictureOf(app, shared)), [app, shared])
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="button quiet save-picture absolute top-1 right-4 small"
        aria-label={text.picture.save}
        title={text.picture.save}
        disabled={busy}
        data-testid="save-picture"
      >
        <ImageDown size={15} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="z-40" sideOffset={4} align="end" collisionPadding={8}>
          <Menu.Popup className="popup choice-popup">
            {PICTURE_KINDS.map((kind) => (
              <Menu.Item
                key={kind}
                className="choice-item"
                data-testid={`save-${kind}`}
                onClick={() => void pictures.save(app, kind)}
              >
                <span>{text.picture.kind[kind]}</span>
                <span className="text-s muted max-w-320">{text.picture.about[kind]}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** The content of the picture: everything on the screen apart from the effects of the pointer. */
function pictureOf(app: App, shared: SharedScene): { name: string; picture: Picture } | null {
  const { session, graph, history, replay, steps, view, selected, levels, range } = app.bench.bench
  const graphCanvas = document.querySelector('[data-testid="graph"] canvas')
  const timelineCanvas = document.querySelector('[data-testid="timeline"] canvas')
  if (!session || !graph || !graphCanvas) return null
  const graphSize = drawnSize(graphCanvas)
  const at = app.bench.position()
  const stack = history && replay ? stackOf(history, replay) : null
  const nSteps = replay?.n_steps[at.turn - 1] ?? 0
  const sent = totalAt(at, replay, steps)
  const { axis, x0, x1 } = viewport.get()
  return {
    name: fileName(session.title, text.graph.turn, String(at.turn)),
    picture: {
      title: session.title,
      caption: [
        [
          text.picture.turn(count(at.turn), count(graph.n_turns)),
          nSteps > 0 ? text.picture.step(count(at.step), count(nSteps)) : null,
          shownBy(view, replay),
          history && text.picture.sent(count(sent), count(history.full[at.turn - 1] ?? 0)),
        ]
          .filter((part) => part !== null)
          .join(' · '),
        history ? text.top.countedBy(history.counted_by) : '',
        graph.from.source === 'declared' ? '' : capital(text.annotation.episodes(graph.from.says)),
      ].filter((line) => line !== ''),
      scale: textScale(),
      width: graphSize.width,
      graphHeight: graphSize.height,
      timelineHeight: timelineCanvas ? drawnSize(timelineCanvas).height : 0,
      scene: shared.scene,
      graphLook: {
        view: { axis, x0, x1 },
        turn: at.turn,
        selected,
        hovered: null,
        focused: null,
        touched: app.bench.touched(),
        severity: shared.severity,
        range,
        reacquisitions: app.reacquisitions.byEpisode,
      },
      history,
      replay,
      stack,
      timelineLook: {
        hovered: null,
        tokens: stack
          ? scaleOfTokens(
              stack,
              { budget: limitOf(view, replay), window: windowOf(view, session) },
              settings.get().scale === 'all',
            )
          : NO_SCALE,
        limit: limitOf(view, replay),
        passes: passTurns(session.recorded),
        range,
        again: app.reacquisitions.turns,
        source: graph.from.source,
        inForce: null,
        window: windowOf(view, session),
        sent: null,
      },
      atLevel: countLevels(levels, graph.episodes, at.turn).at,
    },
  }
}
