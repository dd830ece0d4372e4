import { expect } from 'chai'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { toolsetNames } from '../../../tools/toolsets.ts'
import type { ToolViewOptions } from '../../../tools/catalogue/visible-tools.ts'
import { countToolTokens } from '../../support/bridge/tool-tokens.ts'
import { listToolsOfView } from '../../support/bridge/tool-views.ts'

const catalogue = readCommittedCatalogue()

/** @returns the tokens, printed with the name of the view */
function measure(name: string, part: Partial<ToolViewOptions>): number {
  const tools = listToolsOfView(catalogue, part)
  const tokens = countToolTokens(tools)
  console.log(`      ${name}: ${tools.length} tools, ${tokens.toLocaleString('en')} tokens`)
  return tokens
}

describe('tools/list: tokens of the list of tools', () => {
  it('are at most 12,000 for the whole of it', () => {
    expect(measure('default', {})).to.be.within(1_000, 12_000)
  })

  it('are at most 4,000 for each toolset', () => {
    for (const name of toolsetNames) {
      expect(measure(`toolsets=${name}`, { toolsets: [name] }), name).to.be.at.most(4_000)
    }
  })

  it('grow with read tools, and fall with readonly', () => {
    const all = measure('read=tools', { readTools: true })
    const readonly = measure('read=tools&readonly=true', { readTools: true, readonly: true })
    expect(all).to.be.greaterThan(readonly)
    expect(measure('readonly=true', { readonly: true })).to.be.lessThan(readonly)
    for (const name of toolsetNames) measure(`toolsets=${name}&read=tools`, { toolsets: [name], readTools: true })
  })
})
