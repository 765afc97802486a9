/** Hands a file to the visitor to keep, as a download does. */
export function saveAs(name: string, text: string, mediaType: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Some browsers begin to read a little after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
