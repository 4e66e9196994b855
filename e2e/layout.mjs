// Faults of the page's layout: words that are cut or lie over others, a legend that is cut, bars of the window.

/**
 * Returns the words that are cut without a sign of it, and the pairs that lie over each other. A part that scrolls may cut; an
 * ellipsis is a sign; a picture has its own rules, and so has text that is there for a screen reader alone. `places` is another
 * text when any word stands elsewhere.
 */
export const faultsOfWords = (app) =>
  app.run(`
    /** The parts around an element that cut what stands in them, from the inside out, and whether each gives a sign of it. */
    const clipsOf = (element) => {
      const clips = []
      for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
        const style = getComputedStyle(at)
        if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
        const { left, top, right, bottom } = at.getBoundingClientRect()
        const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
        // A long block ends in a button that shows all of it.
        const isTold = scrolls || at.matches('.block-body') || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
        clips.push({ left, top, right, bottom, isTold })
      }
      return [...clips, { left: 0, top: 0, right: innerWidth, bottom: innerHeight, isTold: false }]
    }
    const isSeen = (element) => {
      if (!element.checkVisibility()) return false
      const style = getComputedStyle(element)
      if (style.visibility !== 'visible' || style.clipPath !== 'none') return false
      for (let at = element; at; at = at.parentElement) if (getComputedStyle(at).opacity === '0') return false
      return true
    }
    /** True when an element has a ground of its own, or one around it that the other is not in: words below it are not seen. */
    const hides = (above, below) => {
      for (let at = above; at && !at.contains(below); at = at.parentElement) {
        const { backgroundColor, backgroundImage } = getComputedStyle(at)
        if (backgroundImage !== 'none' || !/^rgba\\(.*, 0\\)$|^transparent$/.test(backgroundColor)) return true
      }
      return false
    }
    /** True when a popup covers the place of a word outside of it with its own ground. */
    const isUnderPopup = (under, over, x, y) => {
      const popup = over.closest('[role=dialog]')
      const onTop = document.elementFromPoint(x, y)
      return popup && !popup.contains(under) && popup.contains(onTop) && hides(onTop, under)
    }
    const cut = []
    const over = []
    const words = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.trim()
      const element = node.parentElement
      if (text === '' || element.closest('svg') || !isSeen(element)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const clips = clipsOf(element)
      for (const box of range.getClientRects()) {
        let seen = { left: box.left, top: box.top, right: box.right, bottom: box.bottom }
        let isCut = false
        for (const clip of clips) {
          isCut ||= !clip.isTold && (seen.right > clip.right + 1.5 || seen.left < clip.left - 1.5 || seen.bottom > clip.bottom + 4)
          seen = {
            left: Math.max(seen.left, clip.left), top: Math.max(seen.top, clip.top),
            right: Math.min(seen.right, clip.right), bottom: Math.min(seen.bottom, clip.bottom),
          }
        }
        if (seen.right - seen.left < 1 || seen.bottom - seen.top < 1) continue
        // Rows scroll under heads that stay: such words are covered, and no fault.
        const onTop = document.elementFromPoint((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2)
        if (onTop && !onTop.contains(element) && !element.contains(onTop) && hides(onTop, element)) continue
        if (isCut) cut.push(text)
        words.push({ node, element, text, ...seen })
      }
    }
    words.forEach((a, at) => {
      for (const b of words.slice(at + 1)) {
        // A text with an ellipsis has a box for all of it and one for its beginning.
        if (a.node === b.node) continue
        const [left, right] = [Math.max(a.left, b.left), Math.min(a.right, b.right)]
        const [top, bottom] = [Math.max(a.top, b.top), Math.min(a.bottom, b.bottom)]
        // Lines of text are a little higher than their letters.
        if (right - left <= 2 || bottom - top <= 5) continue
        const middle = [(left + right) / 2, (top + bottom) / 2]
        if (!isUnderPopup(a.element, b.element, ...middle) && !isUnderPopup(b.element, a.element, ...middle))
          over.push(a.text.slice(0, 40) + ' | ' + b.text.slice(0, 40))
      }
    })
    const places = words.map(({ text, left, top }) => [text, Math.round(left), Math.round(top)].join(' '))
    // A row that hides part of the next has no words over others.
    for (const list of document.querySelectorAll('.rows')) {
      const boxes = [...list.querySelectorAll(':scope > .rows-inner > .rows-place')].map((row) => row.getBoundingClientRect()).sort((a, b) => a.top - b.top)
      if (boxes.some(({ bottom }, n) => bottom > (boxes[n + 1]?.top ?? Infinity) + 2)) over.push('a row and the next')
      // Rows get their heights one after another, out of view as well.
      places.push(...boxes.map(({ top, bottom }) => 'row ' + Math.round(top) + ' ' + Math.round(bottom)))
    }
    for (const list of document.querySelectorAll('.rows:has([data-block])'))
      if (list.scrollWidth > list.clientWidth + 1) cut.push('a row wider than its list')
    return { nWords: words.length, cut: [...new Set(cut)], over: [...new Set(over)], places: places.join() }
  `)

/** Returns the marks of the legend and the tabs that are cut off, how many levels are seen, and how many marks there are. */
export const legendOf = (app) =>
  app.run(`
    const box = (element) => element.getBoundingClientRect()
    const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1
    const legend = box(document.querySelector('.legend'))
    const line = box(document.querySelector('.legend-marks'))
    const marks = [...document.querySelectorAll('.legend-marks > *')]
    const isShown = (one) => one.getClientRects().length > 0
    const must = [...document.querySelectorAll('.legend-levels > *, .legend-all')].filter(isShown)
    const tabs = [...document.querySelectorAll('.tabs [role=tab]')]
    const bar = box(document.querySelector('.tabs-line'))
    return {
      cut: [
        ...tabs.filter((one) => !within(box(one), bar) || box(one).right > innerWidth),
        ...must.filter((one) => !within(box(one), legend) || box(one).right > innerWidth),
        ...marks.filter((one) => !within(box(one), line) && box(one).top < line.bottom),
      ].map((one) => one.textContent),
      unseen: marks.filter((one) => !isShown(one) || box(one).top >= line.bottom - 1).length,
      said: Number(/\\d+/.exec(document.querySelector('.legend-unseen')?.textContent ?? '')?.[0] ?? 0),
      levels: must.filter((one) => one.classList.contains('legend-level')).length,
      all: marks.length,
    }
  `)

/** Returns what the page itself has of scroll bars, and how many drawings are empty. */
export const faultsOfPage = (app) =>
  app.run(`
    const root = document.documentElement
    const isBlank = (canvas) => {
      if (!canvas.width || !canvas.height) return true
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return data.every((byte) => byte === data[0])
    }
    return {
      wide: root.scrollWidth - root.clientWidth,
      high: root.scrollHeight - root.clientHeight,
      blank: [...document.querySelectorAll('canvas')].filter(isBlank).length,
    }
  `)
