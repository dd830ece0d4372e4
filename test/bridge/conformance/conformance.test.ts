import { expect } from 'chai'
import { useConformanceBridge, useConformanceBridges } from './fixture.ts'
import { listDifferences, hasPassed, type KnownFailure } from './differences.ts'
import { knownFailures } from './known-failures.ts'
import { readRequirements, runConformanceSuite, type Check, type ScenarioChecks, type Revision } from './run.ts'

/** What has to pass at least, of how many. */
const targets: Readonly<Record<Revision, { minPassed: number; scenarioCount: number }>> = {
  '2025-11-25': { minPassed: 25, scenarioCount: 30 },
  '2026-07-28': { minPassed: 33, scenarioCount: 37 },
}
const revisions = Object.keys(targets) as Revision[]

for (const [who, start] of [
  ['the bridge', () => useConformanceBridge()],
  ['two bridges of which each gets every other request', useConformanceBridges],
] as const)
  describe(`MCP conformance suite against ${who}`, () => {
    const bridge = start()
    const found = new Map<Revision, { scored: readonly string[]; findings: ScenarioChecks }>()

    before(async function () {
      this.timeout(310_000)
      await Promise.all(
        revisions.map(async (revision) => {
          const { scored, unscored } = await readRequirements(revision)
          found.set(revision, {
            scored,
            findings: await runConformanceSuite(bridge.url, revision, { until: unscored[0] }),
          })
        }),
      )
    })

    for (const revision of revisions) {
      it(`passes in ${revision}, but for what the bridge does not have`, () => {
        const { scored, findings } = found.get(revision) ?? { scored: [], findings: new Map() as ScenarioChecks }
        const passed = scored.filter((scenario) => hasPassed(findings.get(scenario)))
        console.log(`        ${passed.length} of ${scored.length} scenarios of ${revision} pass`)
        expect(listDifferences(findings, scored, knownFailures[revision])).to.deep.equal([])
        expect(scored).to.have.length(targets[revision].scenarioCount)
        expect(passed.length).to.be.at.least(targets[revision].minPassed)
      })
    }
  })

describe('MCP conformance suite: the list of known failures', () => {
  const check = (status: Check['status'], errorMessage = '', id = 'one'): Check => ({ id, status, errorMessage })
  const known = check('FAILURE', 'not there')
  const miss: KnownFailure = { scenario: 'a', reason: 'It is not there.', checks: { one: /^not there$/ } }
  const found = (checks: readonly Check[], listed = [miss]) => listDifferences(new Map([['a', checks]]), ['a'], listed)

  it('is right where exactly that fails, as it says', () => {
    expect(found([known, check('SUCCESS', '', 'two')])).to.deep.equal([])
    expect(found([check('SUCCESS')], [])).to.deep.equal([])
  })

  for (const [what, checks, listed, line] of [
    ['passes', [check('SUCCESS')], [miss], /passes$/],
    ['fails in another check', [known, check('FAILURE', 'x', 'two')], [miss], /FAILURE two: x$/],
    ['warns in another check', [known, check('WARNING', 'x', 'two')], [miss], /WARNING two: x$/],
    ['says something else', [check('FAILURE', 'broken')], [miss], /another reason: FAILURE one: broken$/],
    ['is not listed and fails', [check('FAILURE', 'x')], [], /^a: FAILURE one: x$/],
    ['is not listed and warns', [check('WARNING', 'x')], [], /^a: WARNING one: x$/],
    ['checked nothing', [check('SKIPPED')], [], /checked nothing$/],
  ] as const)
    it(`is wrong where a scenario ${what}`, () => {
      const lines = found(checks, [...listed])
      expect(lines).to.have.length(1)
      expect(lines[0]).to.match(line)
    })

  it('is wrong where a scenario did not run, or is not asked for', () => {
    expect(listDifferences(new Map(), ['a'], [])).to.deep.equal(['a did not run'])
    expect(listDifferences(new Map(), ['a'], [miss])).to.deep.equal(['a did not run'])
    expect(listDifferences(new Map(), [], [miss])).to.deep.equal(['a is listed as a miss and is not asked for'])
  })
})
