#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`twmd needs Node 22.18 or newer, not ${process.versions.node}. Run it with npm or npx in the checkout, which include one.`)
  process.exit(2)
}
// Imported after the check above, because this import fails with an obscure error on an older Node.
// If the reader of the output, such as `head`, ends first, the command still completes.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
})
const { main } = await import('./program.ts')
const { yieldToService } = await import('../core/index.ts')
const [command] = process.argv.slice(2)
if (command !== 'serve' && command !== 'demo') yieldToService()
process.exitCode = await main(process.argv.slice(2))
