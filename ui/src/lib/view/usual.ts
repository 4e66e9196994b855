import type { ViewDto } from '../ipc/generated/ViewDto'

/** The default view of a session. */
export const USUAL_VIEW: ViewDto = {
  policy: 'cwl',
  budget: '80000',
  tokenizer: 'provider',
  overhead: 'auto',
  window: null,
  options: {},
  branch: null,
  annotation: 'auto',
}
