import { expect } from 'chai'
import { exceptions } from './world.exceptions.ts'
import { getLane } from '../support/suite/lanes.ts'
import { imports, readSource, sources } from './source-files.ts'

/** SQL in a text, or a query that is built: tests bring things about through the API, or by a builder of test/support. */
const sqlPattern =
  /\.raw\(|\b(?:db|database|trx|openDatabase\(\))\('\w+'\)|[`'"]\s*(?:select\s[^`'"]*\sfrom\s|insert into|update \w+ set|delete from|truncate|(?:alter|drop|create) (?:table|index|role|schema))/gi

/** Tests that speak about SQL itself, and what tests are made of. */
const exempt = /^test\/(house|support|bench|core\/database)\//

const tests = sources.filter((name) => name.startsWith('test/') && !exempt.test(name))

/** The part of the tests that a file belongs to: `test/core/dpp`, `test/bridge`. */
const getPart = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('test/core/') ? 3 : 2)
    .join('/')

/** Counts by parts of the tests; parts without any are left out. */
function countByPart(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const part of names.map(getPart).sort()) counts[part] = (counts[part] ?? 0) + 1
  return counts
}

const isInside = (target: string) =>
  /^core\/features\/[^/]+\//.test(target) && !/^core\/features\/[^/]+\/index\.ts$/.test(target)

/**
 * Tests that are about the inside itself: of the lane `unit`, where a rule is called without a platform, those of the
 * same area; and the door, an issuer of its own that is made of the rooms of certification.
 */
const isAbout = (from: string, target: string) =>
  (getLane(from) === 'unit' && target.startsWith(`${from.split('/').slice(1, 3).join('/features/')}/`))
  || (from.startsWith('test/door/') && /^core\/features\/certification\/[^/]+\/index\.ts$/.test(target))

/** Lists the parts that have more than the list allows, and those on the list that have nothing any more. */
const listExcesses = (found: Record<string, number>, allowed: Readonly<Record<string, number>>) =>
  [...new Set([...Object.keys(found), ...Object.keys(allowed)])]
    .filter((part) => found[part] === undefined || found[part] > (allowed[part] ?? 0))
    .map((part) => `${part}: ${found[part] ?? 0}, and the list says ${allowed[part] ?? 0}`)

describe('Repository rules: what tests reach for', () => {
  it('is no SQL, but for the statements that are counted', () => {
    const found = tests.flatMap((name) => [...readSource(name).matchAll(sqlPattern)].map(() => name))
    expect(listExcesses(countByPart(found), exceptions.sql)).to.deep.equal([])
  })

  it('is no inside of a feature, but for the imports that are counted', () => {
    const found = imports
      .filter(({ from, to }) => tests.includes(from) && isInside(to) && !isAbout(from, to))
      .map(({ from }) => from)
    expect(listExcesses(countByPart(found), exceptions.insides)).to.deep.equal([])
  })
})
