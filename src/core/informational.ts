/**
 * Maximum number of informational responses (1xx) per request. Without a limit, a server could send
 * them forever and never answer.
 */
const MOST_INFORMATIONAL = 8

/**
 * Counts informational responses. Call the returned function for each response to one request.
 *
 * @param abort called for each response above the limit
 */
export function limitInformational(abort: (reason: Error) => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > MOST_INFORMATIONAL) abort(Object.assign(new Error('too many informational responses'), { code: 'TOO_MANY_INFORMATIONAL' }))
  }
}
