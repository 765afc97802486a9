/** Control characters, those that turn the order of what is around them, and ends of lines that some terminals know: texts of other people's files could steer a terminal by them. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
/** The same without ends of lines and tabs. */
const STEERING_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text in one line, each sign in it that would steer a terminal written out, such as `\u001b`. */
export const visible = (text: string): string => text.replace(STEERING, escaped)

/** The same of several lines, whose ends stay. JSON says the same afterwards. */
export const visibleLines = (text: string): string => text.replace(STEERING_IN_LINES, escaped)

/** The same of a text that comes in pieces. */
export async function* visiblePieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const piece of pieces) {
    const text = held + decoder.decode(piece, { stream: true })
    // What follows says whether it ends a line.
    held = text.endsWith('\r') ? '\r' : ''
    yield visibleLines(text.slice(0, text.length - held.length))
  }
  yield visibleLines(held + decoder.decode())
}
