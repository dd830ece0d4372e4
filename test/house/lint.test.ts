import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { expect } from 'chai'
import { readSource } from './source-files.ts'

const text = readSource('openapi.json')

/** Whether the operation at a place of the document has no other success than a redirect. */
const leadsOn = (pointer: string) => /^#\/paths\/~1v1~1auth~1sign-in~1(google|auth0)\/get\//.test(pointer)

describe('openapi.json: rules of Redocly and Spectral', () => {
  it('Redocly finds nothing with its recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const all = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    // The bridge serves this schema as a resource of its own; no operation refers to it.
    const found = all
      .filter(({ message }) => !message.includes('"UntpProduct" is never used'))
      // A sign-in at a provider only leads there.
      .filter(({ ruleId, location: [at] }) => ruleId !== 'operation-2xx-response' || !leadsOn(String(at?.pointer)))
    expect(found.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} (${at?.pointer})`)).to.deep.equal(
      [],
    )
  })

  it('Spectral finds nothing with its rules for OpenAPI', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [oas as RulesetDefinition] })
    const all = await linter.run(JSON.parse(text) as Record<string, unknown>)
    const found = all.filter(({ code, path }) => code !== 'oas3-unused-component' || path.at(-1) !== 'UntpProduct')
    expect(found.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`)).to.deep.equal([])
  })
})
