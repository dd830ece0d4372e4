import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { usualLimits } from '../../../bridge/sessions.ts'
import { bridgeWith, conformanceBridge } from './fixture.ts'
import { differences, passes } from './judge.ts'
import { misses, unscoredMisses } from './misses.ts'
import { requirementsOf, runSuite } from './run.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const

describe('The conformance suite with what it does not count', () => {
  const bridge = conformanceBridge()

  for (const revision of revisions) {
    it(`of ${revision} passes, but for what the bridge does not have`, async function () {
      this.timeout(200_000)
      const { scored, unscored } = await requirementsOf(revision)
      const findings = await runSuite(bridge.url, revision, { patience: 180_000 })
      const listed = [...misses[revision], ...unscoredMisses[revision]]
      expect(differences(findings, [...scored, ...unscored], listed)).to.deep.equal([])
      const passed = unscored.filter((scenario) => passes(findings.get(scenario)))
      console.log(`        beside them ${passed.length} of ${unscored.length} scenarios of ${revision} pass`)
    })
  }
})

describe('The conformance suite of a bridge that leaves everything to the SDK’s servers', () => {
  const bridge = conformanceBridge({ ...usualLimits, quick: false })

  for (const revision of revisions) {
    it(`finds in ${revision} what it finds of one that does not`, async () => {
      const { scored, unscored } = await requirementsOf(revision)
      const findings = await runSuite(bridge.url, revision, { until: unscored[0] })
      expect(differences(findings, scored, misses[revision])).to.deep.equal([])
    })
  }
})

/** Scenarios that ask for no tool, resource or prompt of a certain name. */
const general = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'input-required-result-unsupported-methods',
  ],
}

describe('The conformance suite of a bridge that has the document of the API', () => {
  const bridge = bridgeWith(JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')))

  for (const revision of revisions) {
    it(`passes in ${revision} where it asks for nothing that only a fixture has`, async () => {
      const { unscored } = await requirementsOf(revision)
      const findings = await runSuite(bridge.url, revision, { until: unscored[0] })
      expect(differences(findings, general[revision], [])).to.deep.equal([])
    })
  }
})
