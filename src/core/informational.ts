/**
 * Maximum number of 1xx responses per request. Without a limit, a server could send such responses
 * forever.
 */
const MOST_INFORMATIONAL = 8

/**
 * Counts 1xx responses to one request.
 * @param abort called for each response above the limit
 * @returns a function to call for each response
 */
export function limitInformational(abort: (reason: Error) => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > MOST_INFORMATIONAL) abort(Object.assign(new Error('too many informational responses'), { code: 'TOO_MANY_INFORMATIONAL' }))
  }
}
