import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { defaultSessionLimits } from '../../../bridge/shared/session-cache.ts'
import { useBridgeWith, useConformanceBridge } from './fixture.ts'
import { listDifferences, hasPassed } from './differences.ts'
import { knownFailures, unscoredFailures } from './known-failures.ts'
import { readRequirements, runConformanceSuite } from './run.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const

describe('MCP conformance suite: scenarios without a score', () => {
  const bridge = useConformanceBridge()

  for (const revision of revisions) {
    it(`passes in revision ${revision}, but for what the bridge does not have`, async function () {
      this.timeout(200_000)
      const { scored, unscored } = await readRequirements(revision)
      const findings = await runConformanceSuite(bridge.url, revision, { timeoutMs: 180_000 })
      const listed = [...knownFailures[revision], ...unscoredFailures[revision]]
      expect(listDifferences(findings, [...scored, ...unscored], listed)).to.deep.equal([])
      const passed = unscored.filter((scenario) => hasPassed(findings.get(scenario)))
      console.log(`        beside them ${passed.length} of ${unscored.length} scenarios of ${revision} pass`)
    })
  }
})

describe('MCP conformance suite against the SDK’s own servers', () => {
  const bridge = useConformanceBridge({ ...defaultSessionLimits, bypassSdk: false })

  for (const revision of revisions) {
    it(`finds in ${revision} what it finds of one that does not`, async () => {
      const { scored, unscored } = await readRequirements(revision)
      const findings = await runConformanceSuite(bridge.url, revision, { until: unscored[0] })
      expect(listDifferences(findings, scored, knownFailures[revision])).to.deep.equal([])
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

describe('MCP conformance suite against the bridge of openapi.json', () => {
  const bridge = useBridgeWith(JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')))

  for (const revision of revisions) {
    it(`passes in ${revision} where it asks for nothing that only a fixture has`, async () => {
      const { unscored } = await readRequirements(revision)
      const findings = await runConformanceSuite(bridge.url, revision, { until: unscored[0] })
      expect(listDifferences(findings, general[revision], [])).to.deep.equal([])
    })
  }
})
