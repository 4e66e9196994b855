import type { ViewDto } from '../ipc/generated/ViewDto'

/** The view of a session of which nothing was chosen. */
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
