import { createSection, type Requirement } from './list.ts'

const spec = 'Securing Verifiable Credentials using JOSE and COSE'

const unsecured = 'jose.musts.test.ts: ignores tokens that nothing secures'
const claims = 'jose.musts.test.ts: refuses a credential in a claim of its own'
const unknown = 'jose.musts.test.ts: passes over headers and claims that it does not know'
const media = 'jose.musts.test.ts: takes the media types of its specification, or none, and no other'
const half = 'jose.musts.test.ts: takes a key by half a name only from tokens that say who issued them'
const issuers = 'jose.musts.test.ts: wants the same issuer of the token as of the credential, as text or as an object'
const compact = 'jose.musts.test.ts: reads compact tokens, in an envelope too, and no other serialization'
const kinds = 'jose.musts.test.ts: passes over a status and a schema of a kind that it does not know, and says so'
const evaluated = 'jose.musts.test.ts: evaluates the claims that it knows'
const made = 'jose.musts.test.ts: secures the credential itself, as another implementation reads it'
const jwk = 'hosted.musts.test.ts: are JsonWebKeys with their material in publicKeyJwk, public and for signatures'
const algorithms = 'verify.foreign.test.ts: finds tokens that another algorithm, type or key speaks for'

const parts = 'vc-api.presentations.test.ts: tells what is no presentation by its path'
const presentations =
  'not ours: presentations are made by holders of credentials, and nobody holds one here; they are verified at the door for outside suites'
const sdJwt =
  'not ours: SD-JWT hides parts of a credential, and what is certified of a passport is public; no form of it is made or read'
const cose =
  'not ours: COSE is for devices that read CBOR; passports are read over HTTP as JSON, and no form of it is made or read'

/** Source: W3C Securing Verifiable Credentials using JOSE and COSE (15 May 2025). */
export const joseCoseMusts: Requirement[] = [
  ...createSection(spec, '1.1.1', 'issuer', [
    ['Tokens that are issued are secured as section 3.1 says', made],
    ['SD-JWTs that are issued are secured as section 3.2 says', sdJwt],
    ['COSE documents that are issued are secured as section 3.3 says', cose],
  ]),
  ...createSection(spec, '1.1.2.1', 'both', [
    ['The algorithm none is understood as no security', unsecured],
    ['Claims that nothing secures are ignored', unsecured],
  ]),
  ...createSection(spec, '1.1.2.1', 'issuer', [['A token that is made has no claim `vc` or `vp`', made]]),
  ...createSection(spec, '1.1.2.1', 'verifier', [['A token with a claim `vc` or `vp` is refused', claims]]),
  ...createSection(spec, '3', 'issuer', [
    ['Where no media type is known to be better that of the specification is used', made],
  ]),
  ...createSection(spec, '3', 'verifier', [['A token of another media type is no credential', media]]),
  ...createSection(spec, '3.1.1', 'issuer', [['A credential is secured as a JWS whose payload it is', made]]),
  ...createSection(spec, '3.1.1', 'verifier', [
    ['A token is verified as a JWS, by an algorithm that fits its key', algorithms],
  ]),
  ...createSection(spec, '3.1.2', 'issuer', [
    ['A presentation is secured as a JWS whose payload it is', presentations],
  ]),
  ...createSection(spec, '3.1.2', 'verifier', [
    [
      'A presentation is verified as a JWS',
      'vc-api.presentations.test.ts: takes what its holder signed, in each form, for what was asked',
    ],
    ['A credential in a secured presentation is one that is enveloped', parts],
    [
      'A presentation in a presentation is one that is enveloped',
      'not ours: presentations in presentations are not read, enveloped or not',
    ],
    ['Credentials in a secured presentation are secured', parts],
  ]),
  ...createSection(spec, '3.1.2', 'both', [['The compact serialization is supported', compact]]),
  ...createSection(spec, '3.1.3', 'both', [['Headers and claims that are not understood are ignored', unknown]]),
  ...createSection(spec, '3.2.1', 'both', [['Credentials are secured, and verified, with SD-JWT', sdJwt]]),
  ...createSection(spec, '3.2.2', 'both', [
    ['Presentations are secured, and verified, with SD-JWT', sdJwt],
    ['Credentials in them are secured and enveloped', sdJwt],
    ['The compact serialization of SD-JWT is supported', sdJwt],
  ]),
  ...createSection(spec, '3.3.1', 'both', [
    ['Credentials are secured, and verified, with COSE_Sign1', cose],
    ['A COSE credential in an envelope is written in base64', cose],
  ]),
  ...createSection(spec, '3.3.2', 'both', [
    ['Presentations are secured, and verified, with COSE_Sign1', cose],
    ['Credentials in such presentations are secured and enveloped', cose],
  ]),
  ...createSection(spec, '3.3.3', 'both', [['Headers and claims of COSE that are not understood are ignored', cose]]),
  ...createSection(spec, '4.1.1', 'issuer', [['The key is named where it is the key of a DID', made]]),
  ...createSection(spec, '4.1.2', 'verifier', [
    ['An issuer that the token names is the issuer of the credential, where that is text', issuers],
    ['An issuer that the token names is the id of the issuer, where that is an object', issuers],
  ]),
  ...createSection(spec, '4.3', 'verifier', [
    ['A key of a document is taken as a JsonWebKey', jwk],
    ['The material of such a key is taken from its `publicKeyJwk`', jwk],
    ['A token that does not say who issued it names its key as a whole URL', half],
  ]),
  ...createSection(spec, '4.3', 'issuer', [
    [
      'A document offers the key of tokens as a JsonWebKey',
      'hosted.musts.test.ts: are offered by organizations here as tokens name them, and as proofs do',
    ],
    [
      'The material of that key stands in its `publicKeyJwk`',
      'did-web.test.ts: gives the document to publish, with every key that is not revoked',
    ],
    ['A token without `iss` names its key as a whole URL of the document', made],
    ['A holder without `iss` names the key of a presentation as a whole URL', presentations],
  ]),
  ...createSection(spec, '5.4', 'verifier', [
    [
      'The claims that the type of a token expects are there',
      'verify.test.ts: refuses what is no credential, with the place',
    ],
    ['Claims that are understood are evaluated', evaluated],
    ['Claims that are not understood are passed over', unknown],
    ['What was verified is a well-formed JSON-LD document', claims],
    ['A schema of a kind that is not understood is passed over', kinds],
    ['A status of a kind that is not understood is passed over', kinds],
  ]),
]
