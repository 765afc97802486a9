import { buildHere } from './build.ts'

const SAID = {
  made: 'The pages for browsers are built.',
  current: 'The pages for browsers are up to date.',
  no_tool: 'The pages for browsers are not built here: vite, a development dependency, is not installed.',
} as const

// Whoever waits for it may have been killed.
process.on('disconnect', () => process.exit())
try {
  const built = await buildHere()
  if (process.send) process.send(built, () => process.disconnect())
  else console.error(SAID[built])
} catch (error) {
  console.error(String(error))
  process.exit(1)
}
