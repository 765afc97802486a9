import { expect, it } from 'vitest'
import { addressBucket } from '../../src/core/index.ts'

/** Pseudorandom numbers, the same in every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Groups = readonly number[]

const ZONES = ['', '%eth0', '%en0.100', '%1']

/**
 * A random spelling of eight groups: zeros omitted, leading zeros, upper case, dotted last groups,
 * a zone.
 */
function spell(groups: Groups, next: (below: number) => number): string {
  const texts = groups.map(group => group.toString(16).padStart(next(5), '0'))
  const zeros = groups.indexOf(0)
  const end = groups.findIndex((group, index) => index > zeros && group !== 0)
  const compress = zeros >= 0 && zeros < 6 && end > zeros && next(2) === 0
  const dotted = !compress && next(3) === 0
  const [high, low] = [groups[6]!, groups[7]!]
  const tail = dotted ? [`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`] : texts.slice(6)
  const plain = compress ? `${texts.slice(0, zeros).join(':')}::${texts.slice(end).join(':')}` : [...texts.slice(0, 6), ...tail].join(':')
  const cased = next(2) === 0 ? plain.toUpperCase() : plain
  return cased + ZONES[next(ZONES.length)]
}

it('addressBucket maps every spelling of an IPv6 address to its /64', () => {
  const next = sequence(42)
  const wrong: unknown[] = []
  for (let round = 0; round < 5_000; round++) {
    const groups = Array.from({ length: 8 }, () => (next(3) === 0 ? 0 : next(65_536)))
    const expected = `${groups
      .slice(0, 4)
      .map(group => group.toString(16))
      .join(':')}::/64`
    const spelled = spell(groups, next)
    const bucket = addressBucket(spelled)
    if (bucket !== expected) wrong.push({ spelled, bucket, expected })
  }
  expect(wrong).toEqual([])
})

it('addressBucket returns an IPv4 address unchanged, and converts a mapped IPv6 address to IPv4', () => {
  const next = sequence(7)
  for (let round = 0; round < 1_000; round++) {
    const ip = Array.from({ length: 4 }, () => next(256)).join('.')
    expect([ip, `::ffff:${ip}`, `::FFFF:${ip}`].map(addressBucket)).toEqual([ip, ip, ip])
  }
})

it('addressBucket maps special IPv6 spellings to their /64 and keeps invalid addresses', () => {
  const buckets = {
    '::ffff:c633:6401': '0:0:0:0::/64',
    '::ffff:198.51.100.1%eth0': '0:0:0:0::/64',
    '::198.51.100.1': '0:0:0:0::/64',
    '64:ff9b::198.51.100.1': '64:ff9b:0:0::/64',
    '::': '0:0:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::ffff:999.1.1.1': '999.1.1.1',
  }
  for (const [ip, bucket] of Object.entries(buckets)) expect.soft(addressBucket(ip), ip).toBe(bucket)
  const invalid = [
    '',
    'unknown',
    '198.51.100',
    '198.51.100.256',
    '2001:db8::1::2',
    '2001:db8',
    '1:2:3:4:5:6:7:8:9',
    '2001:db8::g',
    'fe80::1%',
    '%eth0',
    '::1 ',
  ]
  for (const text of invalid) expect.soft(addressBucket(text), JSON.stringify(text)).toBe(text)
})
