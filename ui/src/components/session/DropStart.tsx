import { FileInput } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'

/** The start of a page that opens no path: a log is dropped on it, or chosen. */
export function DropStart() {
  const app = useApp()
  const words = text.dropStart
  return (
    <main className="welcome grow overflow-auto max-w-720" data-testid="welcome">
      <h1>{text.welcome.title}</h1>
      <p className="text-l muted">{words.lead}</p>
      <div className="drop-zone stack gap-16 rounded-8 bg-panel p-32 my-24" data-testid="drop-zone">
        <strong className="row justify-center gap-10 text-l">
          <FileInput size={22} aria-hidden /> {words.drop}
        </strong>
        <div className="flex flex-wrap justify-center gap-8">
          <Button look="strong" testid="choose-log" onClick={() => app.askForLog()}>
            {words.choose}
          </Button>
          <Button testid="open-sample" onClick={() => void app.attempt(app.openSample())}>
            {text.welcome.sample}
          </Button>
        </div>
      </div>
      <p>{words.stays}</p>
      <p className="muted">{words.reads}</p>
      <p className="muted">{words.needs}</p>
    </main>
  )
}
