import { type Part, releasePaths } from '../../../src/releases/index.ts'
import type { TestService } from '../../support.ts'

/** A dataset that the lowest plan may read, and one that it may not. */
export const FREE = 'securities-firm-master'
export const PAID = 'bond-yield-curve'

/** The parts of what is served of a dataset. */
export const partsOf = (s: TestService, slug: string): readonly Part[] => s.releases.current(s.dataset(slug)).manifest.parts

/** A URL of a dataset's first part, signed for a key as the service signs it. */
export function signedUrl(s: TestService, key: string, slug: string, sha256 = partsOf(s, slug)[0]!.sha256): string {
  const { accountId, keyId, plan, limits } = s.control.keys.find(key, s.now())!
  return s.gate.signFile({ accountId, keyId, plan, limits }, { slug, sha256 }).path
}

/** Where a part of a dataset lies. */
export const fileOf = (s: TestService, slug: string, sha256: string): string => releasePaths(`${s.dir}/releases`, slug).part(sha256)

/** The code of a refusal. */
export const errorOf = (response: { json(): { error: { error_code: string } } }): string => response.json().error.error_code
