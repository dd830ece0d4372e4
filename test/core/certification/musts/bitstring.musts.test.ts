import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { compactVerify, importJWK } from 'jose'
import { base58btc } from 'multiformats/bases/base58'
import { createApiClient } from '../../../support/client.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath } from '../credentials/certified.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, verifyByApi } from '../verify/verify.ts'

const url = 'https://127.0.0.1/list'
const entry = {
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '1',
  statusListCredential: url,
}
const messages = (...texts: string[]) => texts.map((message, at) => ({ status: `0x${at.toString(16)}`, message }))

describe('Bitstring Status List: requirements on entries of a credential', () => {
  const issuer = createIssuer()
  /** What is found of a credential with this entry; its list is at an address that is never asked. */
  const found = async (more: Vc) =>
    describeFailedChecks(await issuer.proved(issuer.credential({ credentialStatus: { ...entry, ...more } })))
  const unasked = 'status: Its status list cannot be fetched: its host is at an address that is not asked'

  it('refuses an index that is no whole number in base 10', async () => {
    for (const statusListIndex of [
      '-1',
      '01',
      '1.0',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '',
      '١',
      null,
      true,
      1.5,
      -1,
      ['1'],
      undefined,
      1e300,
    ]) {
      expect(await found({ statusListIndex }), String(statusListIndex)).to.equal('status: Its status has no index')
    }
    for (const statusListIndex of ['0', '131071', 7, '9'.repeat(40)])
      expect(await found({ statusListIndex })).to.equal(unasked)
  })

  it('refuses a purpose that is no text, a list that is no URL and an id that is the list’s', async () => {
    for (const statusPurpose of [undefined, 5, '', ['revocation'], null])
      expect(await found({ statusPurpose })).to.equal('status: Its status has no purpose')
    for (const statusListCredential of [undefined, 5, '', '/list', 'list', ['https://x.example/']]) {
      expect(await found({ statusListCredential }), String(statusListCredential)).to.equal(
        'status: Its status names no list',
      )
    }
    expect(await found({ id: url })).to.equal('status: Its status has an id that is no URL, or that of the list')
    for (const more of [{ id: `${url}#1` }, { statusPurpose: 'of our own' }, { type: ['BitstringStatusListEntry'] }])
      expect(await found(more)).to.equal(unasked)
  })

  it('refuses another number of messages than values, and messages by halves', async () => {
    for (const statusSize of [0, -1, 1.5, '1', null, true])
      expect(await found({ statusSize })).to.equal('status: Its status has a size that is no number of bits')
    expect(await found({ statusSize: 9, statusMessage: [] })).to.equal(
      'status: Its status takes more than 8 bits, which are not read here',
    )
    for (const [statusSize, statusMessage, detail] of [
      [2, undefined, /no list of messages/],
      [2, 'x', /no list of messages/],
      [2, messages('a', 'b', 'c'), /3 messages where 4 values/],
      [1, messages('a'), /1 messages where 2 values/],
      [undefined, messages('a', 'b', 'c'), /3 messages where 2 values/],
      [3, messages('a', 'b', 'c'), /3 messages where 8/],
      [1, [{ status: '0x0' }, { status: '0x1', message: 'b' }], /without its value, or without its text/],
      [1, [{ message: 'a' }, { status: '0x1', message: 'b' }], /without its value/],
      [
        1,
        [
          { status: 0, message: 'a' },
          { status: '1', message: 'b' },
        ],
        /without its value/,
      ],
      [1, ['a', 'b'], /without its value/],
    ] as const)
      expect(await found({ statusSize, statusMessage }), String(detail))
        .to.match(/^status: /)
        .and.match(detail)
    for (const more of [
      { statusSize: 1 },
      { statusMessage: messages('no', 'yes') },
      { statusSize: 2, statusMessage: messages('a', 'b', 'c', 'd') },
    ]) {
      expect(await found(more)).to.equal(unasked)
    }
  })

  it('refuses references that are no URLs', async () => {
    for (const statusReference of ['x', 5, ['https://x.example/', 'x'], {}])
      expect(await found({ statusReference })).to.equal('status: Its status refers to what is no URL')
    for (const statusReference of ['https://x.example/', ['https://x.example/', 'urn:a:b']])
      expect(await found({ statusReference })).to.equal(unasked)
  })

  it('asks for every list of a credential, whatever it is about', async () => {
    for (const statusPurpose of ['revocation', 'suspension', 'refresh', 'message'])
      expect(await found({ statusPurpose })).to.equal(unasked)
  })
})

describe('Bitstring Status List: requirements on published lists', () => {
  let shop: Shop
  let credential: Vc & { credentialStatus: Vc[] }
  const at = (list: unknown) => new URL(String(list)).pathname

  before(async () => {
    shop = await buildShop()
    credential = JSON.parse(
      (await createApiClient().get(getCredentialPath(await buildCertifiedPassport(shop)))).text,
    ) as typeof credential
  })

  it('gives credentials an entry for each purpose, which names its place as text', () => {
    const { credentialStatus: entries } = credential
    expect(entries.map(({ statusPurpose }) => statusPurpose)).to.deep.equal(['revocation', 'suspension'])
    for (const { id, type, statusListIndex, statusListCredential, ...more } of entries) {
      expect(type).to.equal('BitstringStatusListEntry')
      expect(statusListIndex).to.match(/^(0|[1-9]\d{0,5})$/)
      expect(Number(statusListIndex)).to.be.below(131_072)
      expect(URL.canParse(String(statusListCredential)) && URL.canParse(String(id))).to.equal(true)
      expect(id).to.not.equal(statusListCredential)
      // The history of the issuer's keys is named by one of the two, as the other has to be the same in a token.
      expect(more).to.have.all.keys(
        'statusPurpose',
        ...(more['statusPurpose'] === 'suspension' ? ['statusReference'] : []),
      )
    }
  })

  it('publishes each list as a credential of the same issuer, which verifies in both forms', async () => {
    for (const { statusListCredential: address, statusPurpose } of credential.credentialStatus) {
      const list = JSON.parse((await createApiClient().get(at(address))).text) as Vc & { credentialSubject: Vc }
      expect(list['@context']).to.deep.equal(['https://www.w3.org/ns/credentials/v2'])
      expect(list['type']).to.deep.equal(['VerifiableCredential', 'BitstringStatusListCredential'])
      expect([list['id'], list['issuer']]).to.deep.equal([address, (credential['issuer'] as Vc)['id']])
      expect(list.credentialSubject).to.deep.include({ type: 'BitstringStatusList', statusPurpose })
      const { text: token } = await createApiClient().get(at(address), createAcceptOptions('application/vc+jwt'))
      for (const given of [list, token]) expect((await verifyByApi(given)).verified).to.equal(true)
      const key = base58btc.decode(String(list['issuer']).slice('did:key:'.length) as `z${string}`).subarray(2)
      const jwk = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }, 'EdDSA')
      const { proof: _, ...unsigned } = list
      expect(JSON.parse(Buffer.from((await compactVerify(token, jwk)).payload).toString('utf8'))).to.deep.equal(
        unsigned,
      )
    }
  })

  it('packs 131,072 entries with GZIP, in base64url without padding under its letter', async () => {
    const { statusListCredential: address } = credential.credentialStatus[0] ?? {}
    const {
      credentialSubject: { encodedList },
    } = JSON.parse((await createApiClient().get(at(address))).text) as { credentialSubject: { encodedList: string } }
    expect(encodedList).to.match(/^u[\w-]+$/)
    const packed = Buffer.from(encodedList.slice(1), 'base64url')
    // Without a time in it, so that the same bits are the same bytes.
    expect(packed.subarray(0, 8).toString('hex')).to.equal('1f8b080000000000')
    expect(gunzipSync(packed)).to.have.length(16_384)
  })

  it('answers no list of another time than now', async () => {
    const { statusListCredential: address } = credential.credentialStatus[0] ?? {}
    const then = `${at(address)}?timestamp=${encodeURIComponent('2026-01-01T00:00:00Z')}`
    expect(formatVerdict(await createApiClient().get(then))).to.equal('400 INVALID_REQUEST')
  })
})
