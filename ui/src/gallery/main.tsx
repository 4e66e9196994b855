import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../styles'

import { createRoot } from 'react-dom/client'

import { Dialog, Widgets } from './Widgets'

// `?theme=dark` is one theme, as pictures are taken of it, `&dialog` a dialog over it; without a theme there are both.
const asked = new URLSearchParams(location.search)
const theme = asked.get('theme')
if (theme) document.documentElement.dataset.theme = theme
document.documentElement.dataset.motion = 'reduced'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    theme ? (
      <>
        <Widgets />
        {asked.has('dialog') && <Dialog />}
      </>
    ) : (
      <div className="flex h-full">
        {['light', 'dark'].map((one) => (
          <iframe key={one} className="grow border-0" title={one} src={`?theme=${one}`} />
        ))}
      </div>
    ),
  )
