import { expect } from 'chai'
import { getLane } from '../support/suite/lanes.ts'
import { imports, readSource, sources } from './source-files.ts'

/** SQL in a text, or a query that is built: tests bring things about through the API, or by a builder of test/support. */
const sqlPattern =
  /\.(?:raw|batchInsert)(?:<[^()]*>)?\(|\b(?:db|database|trx|openDatabase\(\))(?:<[^()]*>)?\('\w+(?: as \w+)?'\)|[`'"]\s*(?:select\s(?:[^`'"]*\s)?from\s|insert into|update \w+ set|delete from|truncate|(?:alter|drop|create) (?:table|index|role|schema|system))/i

/** Tests that speak about SQL itself, and what tests are made of. */
const exempt = /^test\/(house|support|bench|core\/database)\//

const tests = sources.filter((name) => name.startsWith('test/') && !exempt.test(name))

const isInside = (target: string) =>
  /^core\/features\/[^/]+\//.test(target) && !/^core\/features\/[^/]+\/index\.ts$/.test(target)

/**
 * Tests that are about the inside itself: of the lane `unit`, where a rule is called without a platform, those of the
 * same area; and the door, an issuer of its own that is made of the rooms of certification.
 */
const isAbout = (from: string, target: string) =>
  (getLane(from) === 'unit' && target.startsWith(`${from.split('/').slice(1, 3).join('/features/')}/`))
  || (from.startsWith('test/door/') && /^core\/features\/certification\/[^/]+\/index\.ts$/.test(target))

describe('Repository rules: what tests reach for', () => {
  it('is no SQL: what the API does not show or bring about has a name in test/support', () => {
    const found = tests.flatMap((name) => {
      const [text] = sqlPattern.exec(readSource(name)) ?? []
      return text === undefined ? [] : [`${name}: ${text}`]
    })
    expect(found).to.deep.equal([])
  })

  it('is no inside of a feature', () => {
    const found = imports.filter(({ from, to }) => tests.includes(from) && isInside(to) && !isAbout(from, to))
    expect(found.map(({ from, to }) => `${from}: ${to}`)).to.deep.equal([])
  })
})
