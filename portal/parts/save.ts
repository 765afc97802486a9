/** Milliseconds a browser is given to take a file over. */
const TAKEN_MS = 60_000

/** Hands a file to the visitor to keep, as a download does. */
export function saveAs(name: string, contents: readonly BlobPart[], mediaType: string): void {
  const address = URL.createObjectURL(new Blob([...contents], { type: mediaType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), TAKEN_MS)
}
