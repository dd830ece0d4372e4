import { expect } from 'chai'
import { createOrganization } from '../../../../core/features/identity/index.ts'
import { createEmail, createUniqueName, getOperator } from '../people.ts'

describe('Slug of a new organization', () => {
  const create = async (name: string) => {
    const context = await getOperator()
    return (await createOrganization(context, { name, owner: createEmail('owner') })).slug
  }

  it('is its name in small letters and digits without accents, at most 60 of them', async () => {
    const unique = createUniqueName('x').toLowerCase()
    expect(await create(`--Café  Noir & Söhne ${unique}!`)).to.equal(`cafe-noir-sohne-${unique}`)
    expect(await create(`${unique} ${'long '.repeat(20)}`)).to.equal(
      `${unique} ${'long '.repeat(20)}`.slice(0, 60).trim().replaceAll(' ', '-'),
    )
  })

  it('has a number where the name is taken, and a word where the name has no letter', async () => {
    const name = createUniqueName('Twice')
    const first = await create(name)
    expect([await create(name), await create(name)]).to.deep.equal([`${first}-2`, `${first}-3`])
    expect(await create('日本')).to.match(/^organization(-\d+)?$/)
  })

  it('is free for each of many that are created at once', async () => {
    const name = createUniqueName('At once')
    const slugs = await Promise.all(Array.from({ length: 3 }, () => create(name)))
    expect(new Set(slugs).size).to.equal(3)
  })
})
