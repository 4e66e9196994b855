import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import type { SessionAnswer } from '../ipc/generated/SessionAnswer'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { text } from '../text'
import { isKept } from './annotation'
import { short } from './format'

/** The part of a view that says whether anything is simulated. */
export type Simulated = Pick<ViewSettings, 'policy' | 'options'>

/** The view of the harness's own history: no policy, and no option that takes back what the harness removed. */
export const AS_IT_HAPPENED: Simulated = { policy: 'none', options: {} }

/** Tells whether a view shows what happened. Every other view is a simulation. */
export const isAsItHappened = ({ policy, options }: Simulated): boolean =>
  policy === AS_IT_HAPPENED.policy && Object.keys(options).length === 0

/** Tells whether a session has marks for a policy to go by: those of the agent, or those that the view names. */
export const hasMarks = (session: Pick<SessionAnswer, 'annotation'>, annotation: string): boolean =>
  session.annotation !== 'none' || isKept(annotation)

/** Returns the τ of a simulation; `null` for the recorded history. */
export const limitOf = (view: Simulated, replay: Pick<ReplayAnswer, 'budget'> | null): number | null =>
  replay === null || isAsItHappened(view) ? null : replay.budget

/** Returns the window of the session's model: the one that the view sets, else the one that log or table tell. */
export const windowOf = (
  view: Pick<ViewSettings, 'window'>,
  session: Pick<SessionAnswer, 'model_window'> | null,
): number | null => view.window ?? session?.model_window ?? null

/** Names the setting of a simulation, as the words behind *What if*; empty as it happened. */
export const settingOf = (view: Simulated, replay: Pick<ReplayAnswer, 'budget'> | null): string =>
  replay === null || isAsItHappened(view) ? '' : text.happened.setting(view.policy, short(replay.budget))

/** Names what a view shows: `As it happened`, or `What if: cwl at 80k`. */
export const shownBy = (view: Simulated, replay: Pick<ReplayAnswer, 'budget'> | null): string =>
  isAsItHappened(view) ? text.happened.off : `${text.happened.on}${settingOf(view, replay)}`
