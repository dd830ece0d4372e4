import { expect } from 'chai'
import { negotiateMediaType } from '../../../../core/features/certification/formats/media-types.ts'
import { createCid } from '../../../../core/features/certification/formats/cid.ts'
import {
  hashContent,
  parseCertifiedContent,
  toCanonicalJson,
} from '../../../../core/features/certification/formats/content.ts'
import { getProtectedTerms } from '../../../../core/features/certification/contexts/contexts.protected.ts'
import {
  validateCertifiedContent,
  createContextDocument,
} from '../../../../core/features/certification/contexts/contexts.ts'
import {
  createCredential,
  addRevocationEntry,
  addStatusEntries,
} from '../../../../core/features/certification/contexts/credential.ts'
import { hashHostedContent } from '../../../../core/features/certification/credentials/hosted.ts'
import { permuteIndex } from '../../../../core/features/certification/status-lists/status-lists.ts'
import { formatTree } from '../storage/tree.ts'

const product = { name: 'Cell pack', idGranularity: 'item', itemNumber: '0001' }

describe('Canonical JSON (JCS)', () => {
  it('is as RFC 8785 shows it', () => {
    const value =
      JSON.parse(String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`) as unknown
    expect(toCanonicalJson(value)).to.equal(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
    const sorted = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Dalet',
      '1': 'One',
      '\ud83d\ude00': 'Smiley',
      '\u0080': 'Control',
      ö: 'o',
    }
    expect(Object.values(JSON.parse(toCanonicalJson(sorted)) as object)).to.deep.equal(
      ['One', 'Carriage Return', 'Control', 'o', 'Euro Sign', 'Smiley', 'Dalet'].sort((a, b) =>
        a === 'One' ? -1 : b === 'One' ? 1 : 0,
      ),
    )
  })

  it('is refused to what has none', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const value of [NaN, Infinity, [-Infinity], '\ud800', { a: 'x\udc00' }, { '\ud83d': 1 }, undefined, cycle]) {
      expect(() => toCanonicalJson(value)).to.throw(TypeError)
    }
  })
})

describe('Content hash', () => {
  it('is the SHA-256 of product and data in JCS, whatever the order of members and whoever the subject is', () => {
    // sha256sum of {"data":{"color":"red"},"product":{"idGranularity":"item","itemNumber":"0001","name":"Cell pack"}}
    const hash = '0xc94b5870e75135b016d7d83b7c1af4942fedeb84d20e89306de53d74f92a020f'
    const one = hashContent({ product, data: { color: 'red' } })
    expect(one).to.equal(hash)
    expect(
      hashContent({
        data: { color: 'red' },
        product: { itemNumber: '0001', id: 'urn:x', idGranularity: 'item', name: 'Cell pack' },
      }),
    ).to.equal(one)
    expect(hashContent({ product, data: { color: 'blue' } })).to.not.equal(one)
  })

  it('is rebuilt from the subject of a credential', () => {
    const data = { origin: { country: 'FR' }, ['__proto__x']: [1, null] }
    for (const content of [
      { product, data },
      { product, data: {} },
      { product: { ...product, id: 'https://id.example/1' }, data },
    ]) {
      const envelope = {
        id: 'urn:uuid:1',
        issuer: { id: 'did:x:y', name: 'N' },
        validFrom: new Date(0),
        subject: 'urn:s',
        context: null,
      }
      const rebuilt = parseCertifiedContent(JSON.parse(JSON.stringify(createCredential(content, envelope))))
      expect(rebuilt && hashContent(rebuilt)).to.equal(hashContent(content))
    }
    for (const other of [null, 1, [], {}, { credentialSubject: [] }, { credentialSubject: { characteristics: 'x' } }])
      expect(parseCertifiedContent(other)).to.equal(null)
  })

  it('is not read out of what two readers could read in two ways', () => {
    const text = JSON.stringify({ credentialSubject: { ...product, characteristics: { color: 'red' } } })
    const hash = hashContent({ product, data: { color: 'red' } })
    const jwt = (payload: string) =>
      ['{"alg":"EdDSA"}', payload, 'sign'].map((part) => Buffer.from(part).toString('base64url')).join('.')
    const ofJson = (body: string | Buffer) => hashHostedContent(Buffer.from(body), 'application/ld+json')
    const ofJwt = (body: string) => hashHostedContent(Buffer.from(body), 'application/vc+jwt')
    expect(ofJson(text)).to.equal(hash)
    expect(ofJwt(jwt(text))).to.equal(hash)
    expect(ofJson(text.replace('"color":"red"', '"color":"blue","color":"red"'))).to.equal(null)
    expect(ofJson(text.replace('"color":', '"color":"blue","c\\u006flor":'))).to.equal(null)
    expect(ofJson(Buffer.concat([Buffer.from(text), Uint8Array.of(0xff)]))).to.equal(null)
    expect(ofJson(text.replace('red', '\\ud800'))).to.equal(null)
    expect(ofJson('[')).to.equal(null)
    expect(ofJson('['.repeat(100_000) + ']'.repeat(100_000))).to.equal(null)
    expect(ofJwt(`${jwt(text)}=`)).to.equal(null)
    expect(ofJwt(jwt(text).replace(/.$/, (last) => (last === 'B' ? 'C' : 'B')))).to.equal(null)
    expect(ofJwt(`${jwt(text)}.`)).to.equal(null)
    expect(ofJwt(text)).to.equal(null)
  })
})

describe('Credential: the envelope around the content', () => {
  it('tells both statuses with their index as text, or the revocation alone with a number', () => {
    const place = {
      revocation: 'https://a.example/r',
      suspension: 'https://a.example/s',
      keys: 'https://a.example/k',
      index: 7,
    }
    const { credentialStatus: both } = addStatusEntries({}, place)
    expect(both).to.deep.equal(
      ['revocation', 'suspension'].map((statusPurpose) => {
        const list = `https://a.example/${statusPurpose[0]}`
        const reference = statusPurpose === 'suspension' ? { statusReference: 'https://a.example/k' } : {}
        return {
          type: 'BitstringStatusListEntry',
          id: `${list}#7`,
          statusPurpose,
          statusListIndex: '7',
          statusListCredential: list,
          ...reference,
        }
      }),
    )
    expect(addRevocationEntry({}, place)['credentialStatus']).to.deep.include({
      statusPurpose: 'revocation',
      statusListIndex: 7,
    })
  })
})

describe('JSON-LD contexts', () => {
  const base = 'https://api.example'
  const mapped = (data: object, product: object = {}) =>
    createContextDocument({ product: { ...product }, data: { ...data } }, base)

  it('map every key of the data, at every depth, to an address of its own', () => {
    const document = mapped({ color: 'red', parts: [{ weight: 1, made: { 'née à': 'Lyon' } }], color2: [] })
    expect(JSON.parse(document?.body ?? '')).to.deep.equal({
      '@context': Object.fromEntries(
        ['color', 'color2', 'made', 'née à', 'parts', 'weight'].map((key) => [
          key,
          `${base}/v1/dpp/contexts#${encodeURIComponent(key)}`,
        ]),
      ),
    })
    expect(mapped({ color: 'blue', parts: [], made: null, 'née à': 0, color2: 1, weight: 2 })?.sha256).to.equal(
      document?.sha256,
    )
    expect(mapped({})).to.equal(null)
  })

  it('map what a product has beyond the terms of UNTP, with what stands in it', () => {
    const document = mapped(
      {},
      { name: 'Bag', dimensions: { weight: 1 }, gtin: '96385074', grade: { mark: 'A' }, 'https://a.example/b': 1 },
    )
    expect(Object.keys((JSON.parse(document?.body ?? '') as { '@context': object })['@context'])).to.deep.equal([
      'grade',
      'gtin',
      'mark',
    ])
    expect(mapped({}, { name: 'Bag', dimensions: { weight: 1 } })).to.equal(null)
  })

  it('leave alone what others define, addresses, and what no context can map', () => {
    const document = mapped({ name: 'x', Product: 'kg', 'https://a.example/b': 1, 'km/h': 2, constructor: 3 })
    expect(Object.keys((JSON.parse(document?.body ?? '') as { '@context': object })['@context'])).to.deep.equal([
      'constructor',
    ])
  })

  it('take names of any length', () => {
    const name = 'ö'.repeat(10_000)
    expect(mapped({ [name]: 1 })?.body).to.include(encodeURIComponent(name))
    expect(validateCertifiedContent({ product: {}, data: { [name]: 1 } })).to.deep.equal([])
  })

  it('are refused to names that are instructions, at any depth of product and data', () => {
    const data = JSON.parse(
      '{"a":[{"@context":"http://169.254.169.254/"}],"b":{"":1},"__proto__":{"@id":"x"},"c":{"id":4,"type":["x",1]},"d":{"id":"ok","type":["x"]}}',
    ) as Record<string, unknown>
    expect(
      validateCertifiedContent({ product: { name: 'x', '@context': {} }, data }).map(({ path }) => path),
    ).to.deep.equal([
      'product.@context',
      'data.a[0].@context',
      'data.b.',
      'data.__proto__',
      'data.__proto__.@id',
      'data.c.id',
      'data.c.type',
    ])
  })
})

describe('JSON-LD contexts: terms of the UNTP revisions', () => {
  it('name nothing of a caller where one revision protects them and the other lacks them', () => {
    const data = { issuingSoftware: 'x', parts: [{ RenderTemplate2024: 1 }], Claim: 1 }
    expect(
      validateCertifiedContent({ product: { name: 'x', DigitalProductPassport: {} }, data }).map(({ path }) => path),
    ).to.deep.equal(['product.DigitalProductPassport', 'data.issuingSoftware', 'data.parts[0].RenderTemplate2024'])
  })

  it('are read from a context: what it protects as a whole, or one by one', () => {
    for (const [context, terms] of [
      [
        {
          '@protected': true,
          a: 'https://a.example/',
          b: { '@id': 'https://b.example/', '@protected': false },
          '@vocab': 'https://v.example/',
        },
        ['a'],
      ],
      [
        {
          a: 'https://a.example/',
          b: {
            '@id': 'https://b.example/',
            '@protected': true,
            '@context': { '@protected': true, c: 'https://c.example/' },
          },
        },
        ['b'],
      ],
      [['https://other.example/', { '@protected': true, a: null }, { b: '@id' }], ['a']],
      ['https://other.example/', []],
      [undefined, []],
    ] as const)
      expect(getProtectedTerms({ '@context': context }), JSON.stringify(context)).to.deep.equal(terms)
    expect(getProtectedTerms(null)).to.deep.equal([])
    expect(
      validateCertifiedContent({ product: {}, data: { a: { b: 1 } } }, new Set(['b'])).map(({ path }) => path),
    ).to.deep.equal(['data.a.b'])
  })
})

describe('Content identifiers (CID)', () => {
  const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff))

  it('are those of IPFS for content of one block', async () => {
    expect(await createCid(Buffer.from('hello world'))).to.equal(
      'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    )
    expect(await createCid(Buffer.alloc(0))).to.equal('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  })

  it('are those of a balanced tree over raw leaves for more', async () => {
    for (const length of [262_144, 262_145, 1_000_000]) {
      const bytes = bytesOf(length)
      expect(await createCid(bytes), String(length)).to.equal(formatTree(bytes))
    }
  })
})

describe('Status list: places of credentials', () => {
  it('come each once, in an order that another seed does not share', () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const seen = new Set(Array.from({ length: 131_072 }, (_, place) => permuteIndex(place, one)))
    expect(seen.size).to.equal(131_072)
    expect([...seen].every((index) => index >= 0 && index < 131_072)).to.equal(true)
    const firsts = Array.from({ length: 1_000 }, (_, place) => permuteIndex(place, one))
    const neighbours = firsts.filter((index, at) => at > 0 && Math.abs(index - (firsts[at - 1] ?? 0)) === 1)
    expect(neighbours).to.have.length.below(3)
    expect(firsts.filter((index, place) => index === permuteIndex(place, other))).to.have.length.below(3)
    expect(new Set(firsts.map((index) => index >> 12)).size).to.equal(32)
  })
})

describe('Accept header of credentials', () => {
  const offers = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const
  const cases: [string | undefined, string | null][] = [
    [undefined, 'application/ld+json'],
    ['', 'application/ld+json'],
    ['*/*', 'application/ld+json'],
    ['application/*', 'application/ld+json'],
    ['application/vc', 'application/vc'],
    ['APPLICATION/VC+JWT', 'application/vc+jwt'],
    ['application/json', null],
    ['text/html', null],
    ['text/html, */*;q=0.1', 'application/ld+json'],
    ['application/vc+jwt;q=0.9, application/ld+json;q=0.8', 'application/vc+jwt'],
    ['application/ld+json;q=0, */*', 'application/vc'],
    ['*/*;q=0', null],
    ['application/ld+json;q=2', null],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'application/ld+json'],
    ['application/vc+jwt;q=0.5, application/*;q=0.5', 'application/ld+json'],
    ['application/vc+jwt;q=0.001', 'application/vc+jwt'],
    [',;', null],
  ]
  for (const [accept, type] of cases) {
    it(`${accept ?? 'nothing'} gets ${type ?? 'nothing'}`, () =>
      expect(negotiateMediaType(accept, offers)).to.equal(type))
  }
})
