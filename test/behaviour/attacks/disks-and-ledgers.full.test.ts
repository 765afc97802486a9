import { fewAttacks } from './few-attacks.ts'

await fewAttacks(/^[DM]/)
