import type { ViewSettings } from '../ipc/generated/ViewSettings'

/** The default view of a session. */
export const USUAL_VIEW: ViewSettings = {
  policy: 'cwl',
  budget: '80000',
  tokenizer: 'provider',
  overhead: 'auto',
  window: null,
  options: {},
  branch: null,
  annotation: 'auto',
}
