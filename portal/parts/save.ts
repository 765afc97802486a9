/** Milliseconds after which the object URL is revoked. By then, the browser has read the file. */
const REVOKE_AFTER_MS = 60_000

export function saveAs(name: string, contents: readonly BlobPart[], mediaType: string): void {
  const address = URL.createObjectURL(new Blob([...contents], { type: mediaType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_AFTER_MS)
}
