import { expect } from 'chai'
import { validate, version } from 'uuid'
import { newId } from '../../../core/database/model.ts'

describe('core/database: UUIDv7 identifiers', () => {
  it('are of version 7, and sort by creation also where many are made in one millisecond', () => {
    const made = Array.from({ length: 50_000 }, newId)
    expect(new Set(made).size).to.equal(made.length)
    expect([...made].sort()).to.deep.equal(made)
    for (const id of made.slice(0, 500)) expect(validate(id) && version(id)).to.equal(7)
    const age = Date.now() - Number.parseInt(made[0]?.replaceAll('-', '').slice(0, 12) ?? '', 16)
    expect(age).to.be.within(0, 60_000)
  })

  it('differ in what cannot be guessed: the last 48 bits of neighbours have nothing in common', () => {
    const tails = Array.from({ length: 2_000 }, () => newId().slice(-12))
    expect(new Set(tails).size).to.equal(tails.length)
  })
})
