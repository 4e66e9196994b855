/** Reads server-sent events from a stream and tells the data of each, until the stream ends. */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  hear: (data: string) => void,
): Promise<void> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data: '))
      if (data.length > 0) hear(data.map((line) => line.slice('data: '.length)).join('\n'))
    }
  }
}
