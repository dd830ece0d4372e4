import { expect } from 'chai'
import fc from 'fast-check'
import { createSealer, type SealPurpose } from '../../../bridge/shared/seal.ts'

const purposes: SealPurpose[] = ['session', 'state', 'task', 'confirm']
const secret = Buffer.alloc(32, 7)
const seal = createSealer(secret)

const sealed = fc.record({
  purpose: fc.constantFrom(...purposes),
  payload: fc.jsonValue(),
  bind: fc.string({ unit: 'binary' }),
  seconds: fc.option(fc.integer({ min: 1, max: 86_400 })),
})
const made = sealed.map((given) => ({
  ...given,
  text: seal.seal(given.purpose, given.payload, given.seconds, given.bind),
}))
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('tools/seal: a sealed text', () => {
  it('gives back what was sealed, to any process with the same secret', () => {
    fc.assert(
      fc.property(made, ({ purpose, payload, bind, text }) => {
        expect(createSealer(secret).open(purpose, text, bind)).to.deep.equal(asJson(payload))
      }),
    )
  })

  it('can stand in a header: visible ASCII without a comma or a semicolon', () => {
    fc.assert(
      fc.property(made, ({ text }) => {
        expect(text).to.match(/^v1\.[\w-]+\.[\w-]{43}$/)
      }),
    )
  })

  it('does not open when any bit of it is another', () => {
    fc.assert(
      fc.property(made, fc.nat(), fc.integer({ min: 0, max: 7 }), ({ purpose, bind, text }, at, bit) => {
        const bytes = Buffer.from(text, 'latin1')
        const index = at % bytes.length
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit)
        expect(seal.open(purpose, bytes.toString('latin1'), bind)).to.equal(undefined)
      }),
      { numRuns: 600 },
    )
  })

  it('does not open for another purpose, another binding or with another secret', () => {
    fc.assert(
      fc.property(made, fc.string(), ({ purpose, bind, text }, other) => {
        for (const one of purposes) if (one !== purpose) expect(seal.open(one, text, bind), one).to.equal(undefined)
        if (other !== bind) expect(seal.open(purpose, text, other)).to.equal(undefined)
        expect(createSealer(Buffer.alloc(32, 8)).open(purpose, text, bind)).to.equal(undefined)
      }),
    )
  })

  it('does not mix where the binding ends with what is sealed', () => {
    fc.assert(
      fc.property(made, fc.nat(), ({ purpose, payload, text, bind }, cut) => {
        const body = text.split('.')[1] ?? ''
        const split = cut % (body.length + 1)
        expect(
          seal.open(purpose, `v1.${body.slice(split)}.${text.split('.')[2] ?? ''}`, bind + body.slice(0, split))
            === undefined || split === 0,
        ).to.equal(true)
        expect(seal.seal(purpose, payload, null, `${bind}.`)).not.to.equal(seal.seal(purpose, payload, null, bind))
      }),
    )
  })

  it('opens in its one spelling only: nothing before or after it, no padding, no other alphabet, no loose last bits', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    fc.assert(
      fc.property(made, fc.string({ minLength: 1, maxLength: 6 }), ({ purpose, bind, text }, rubbish) => {
        const [version = '', body = '', mac = ''] = text.split('.')
        const last = alphabet.indexOf(mac.at(-1) ?? '')
        // 32 bytes are 43 characters, the last of which carries four bits: three more spell the same bytes.
        const loose = [1, 2, 3].map(
          (bits) => `${version}.${body}.${mac.slice(0, -1)}${alphabet[(last & ~3) | bits] ?? ''}`,
        )
        const others = [
          ...loose.filter((one) => one !== text),
          text + rubbish,
          rubbish + text,
          `${text}=`,
          `${text}.`,
          `${text}-TAMPERED`,
          ` ${text}`,
          `${text}\n`,
          `${version}.${body}=.${mac}`,
          `${version}.${body}`,
          `v2.${body}.${mac}`,
          `.${body}.${mac}`,
          `${version}..${mac}`,
          `${version}.${body}.`,
          Buffer.from(mac, 'base64url').toString('base64') === mac
            ? ''
            : `${version}.${body}.${Buffer.from(mac, 'base64url').toString('base64')}`,
          text.toUpperCase() === text ? '' : text.toUpperCase(),
        ]
        for (const other of others) expect(seal.open(purpose, other, bind), other).to.equal(undefined)
      }),
    )
  })

  it('opens nothing that was not sealed, and throws for nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...purposes), (text, purpose) => {
        expect(seal.open(purpose, text, '')).to.equal(undefined)
        expect(seal.open(purpose, `v1.${Buffer.from(text).toString('base64url')}.${'A'.repeat(43)}`, '')).to.equal(
          undefined,
        )
      }),
    )
  })

  it('opens until its time is over, or for good', () => {
    let now = 1_000_000
    const clocked = createSealer(secret, () => now)
    const short = clocked.seal('state', { a: 1 }, 300, 'x')
    const lasting = clocked.seal('task', { a: 1 }, null, 'x')
    now += 299_000
    expect(clocked.open('state', short, 'x')).to.deep.equal({ a: 1 })
    now += 2_000
    expect(clocked.open('state', short, 'x')).to.equal(undefined)
    now += 1e12
    expect(clocked.open('task', lasting, 'x')).to.deep.equal({ a: 1 })
  })
})
