import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { parsePermissions } from '../../../../core/features/identity/keys/api-keys.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

function issuesOf(call: () => unknown): string[] {
  try {
    call()
    return ['none']
  } catch (error) {
    const { code, errors } = error as ProblemError
    return [code, ...(errors ?? []).map((issue) => `${issue.path} ${issue.code}`)]
  }
}

describe('Permission map from outside', () => {
  it('keeps the actions of each resource in their order, once', () => {
    expect(parsePermissions({ dpp: ['update', 'read', 'read'], application: [] })).to.deep.equal({
      dpp: ['read', 'update'],
      application: [],
    })
    expect(parsePermissions({})).to.deep.equal({})
  })

  it('names every part that is wrong by its path', () => {
    for (const value of [null, 'dpp', ['dpp'], 1])
      expect(issuesOf(() => parsePermissions(value))).to.deep.equal(['VALIDATION_FAILED', 'permissions type'])
    const wrong = { moon: ['read'], dpp: 'read', application: ['read', 'fly', 3], job: {} }
    expect(issuesOf(() => parsePermissions(wrong, 'flags'))).to.deep.equal([
      'VALIDATION_FAILED',
      'flags.moon enum',
      'flags.dpp type',
      'flags.application[1] enum',
      'flags.application[2] enum',
      'flags.job enum',
    ])
  })
})
