// Pictures that were accepted once, and what differs from them.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import pixelmatch from '../ui/node_modules/pixelmatch/index.js'
import pngjs from '../ui/node_modules/pngjs/lib/png.js'
import { ROOT } from './ground.mjs'

const { PNG } = pngjs

export const ACCEPTED = join(ROOT, 'e2e/pixels')
const OUTPUT = join(ROOT, 'test-output/pixels')
const VERSION = join(ACCEPTED, 'chromium.txt')

/** True if the pictures of this run are to be accepted. */
export const IS_BLESSING = process.env.CWL_PIXELS === 'bless'

/** How different a colour may be, of 1: smoothing and rounding do as much. */
const THRESHOLD = 0.1
/** How many pixels may be different: less than the smallest icon has. */
const N_PIXELS = 60
/** The share of pixels that may differ in another Chromium than the one that took the pictures: it draws letters its own way. */
const SHARE_ELSEWHERE = 0.01

/**
 * Keeps five bits of each colour and no transparency, so that a picture packs to a third of its size. A person sees
 * no difference; what is compared is treated alike on both sides.
 */
function plain(bytes) {
  const picture = PNG.sync.read(bytes)
  const { data } = picture
  for (let at = 0; at < data.length; at += 4) {
    for (let channel = 0; channel < 3; channel += 1) data[at + channel] &= 0xf8
    data[at + 3] = 0xff
  }
  return picture
}

const packed = (picture) => PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 })

const major = (version) => version.trim().split('.')[0]

/** Returns how many pixels of a picture may differ, by where the accepted ones were taken. */
async function allowance(version, n) {
  const taken = await readFile(VERSION, 'utf8').catch(() => '')
  return major(taken) === major(version) ? N_PIXELS : Math.round(n * SHARE_ELSEWHERE)
}

/** Compares a picture with the accepted one of that name; returns what is wrong in one line, or `null`. */
export async function compare(name, bytes, version) {
  const file = join(ACCEPTED, `${name}.png`)
  const picture = plain(bytes)
  if (IS_BLESSING) {
    await mkdir(ACCEPTED, { recursive: true })
    await writeFile(file, packed(picture))
    await writeFile(VERSION, `${version}\n`)
    return null
  }
  const accepted = await readFile(file).catch(() => null)
  const keep = async (what, image) => {
    await mkdir(OUTPUT, { recursive: true })
    await writeFile(join(OUTPUT, `${name}.${what}.png`), PNG.sync.write(image))
  }
  if (!accepted) {
    await keep('new', picture)
    return `${name}: there is no accepted picture; \`make pixels\` takes it`
  }
  const before = PNG.sync.read(accepted)
  const { width, height } = picture
  if (before.width !== width || before.height !== height) {
    await keep('new', picture)
    return `${name}: ${width} × ${height} instead of ${before.width} × ${before.height}`
  }
  const difference = new PNG({ width, height })
  const n = pixelmatch(before.data, picture.data, difference.data, width, height, { threshold: THRESHOLD })
  const allowed = await allowance(version, width * height)
  if (n <= allowed) {
    for (const what of ['new', 'diff']) await rm(join(OUTPUT, `${name}.${what}.png`), { force: true })
    return null
  }
  await keep('new', picture)
  await keep('diff', difference)
  return `${name}: ${n} pixels differ, ${allowed} may; look at test-output/pixels/${name}.diff.png, then \`make pixels\``
}
