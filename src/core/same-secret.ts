import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares a token with the one configured in a time that says nothing about either, their lengths included. */
export function sameSecret(given: string, configured: string): boolean {
  return timingSafeEqual(digest(given), digest(configured))
}
