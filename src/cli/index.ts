#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `twmd needs Node 22.18 or newer and this is ${process.versions.node}; run it through npm or npx in the checkout, which bring their own.`,
  )
  process.exit(2)
}
// Loaded only now: an older Node fails on the native modules and on the types, with nothing a reader could act on.
const { main } = await import('./program.ts')
process.exitCode = await main(process.argv.slice(2))
