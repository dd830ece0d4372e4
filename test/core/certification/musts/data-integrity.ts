import { createSection, type Requirement } from './list.ts'

const di = 'Verifiable Credential Data Integrity 1.0'
const eddsa = 'Data Integrity EdDSA Cryptosuites 1.0'

const members =
  'integrity.musts.test.ts: refuses members of a proof that are not as they have to be, also where it is signed so'
const dates = 'integrity.musts.test.ts: refuses dates of a proof that are none, have no offset or are over'
const signatures =
  'integrity.musts.test.ts: takes signatures of 64 bytes in base58btc and nothing else, with either suite'
const chains = 'integrity.musts.test.ts: verifies chains: each proof with those before it, named by one text or several'
const sets = 'integrity.musts.test.ts: verifies sets in any order, all of them, of which the issuer made one'
const lossless =
  'integrity.musts.test.ts: covers all that JSON-LD could drop: what has no meaning, and what is no whole address'
const contexts = 'integrity.musts.test.ts: finds other contexts than those that were signed, with either suite'
const known = 'integrity.musts.test.ts: knows the contexts of the specifications without asking for them'
const text = 'integrity.musts.test.ts: judges text as UTF-8'
const made =
  'integrity.musts.test.ts: signs hashes of proof and document with Ed25519, as another implementation recomputes them'
const whole = 'integrity.musts.test.ts: makes no proof of what cannot be secured whole'
const keys = 'hosted.musts.test.ts: are Multikeys in base58btc, of a type that is judged here, and nothing else'
const third = 'suites.test.ts: verifies with the library alone'
const door = 'vc-api.presentations.test.ts: says which of its parts does not hold'
const purposes = 'hosted.musts.test.ts: serve only for what their domain offers them for'
const none = 'verify.test.ts: finds a proof that was changed, or is none'
const changed = 'verify.test.ts: finds a value that was changed'
const malformed = 'verify.test.ts: refuses what is no credential, with the place'

const suiteAuthors = 'not ours: it binds those who write specifications of suites, and none is written here'
const onlyOne = 'not ours: a credential is given one proof when it is issued; no proof is added to one that has some'

/** Source: W3C Verifiable Credential Data Integrity 1.0; W3C Data Integrity EdDSA Cryptosuites 1.0 (both 15 May 2025). */
export const dataIntegrityMusts: Requirement[] = [
  ...createSection(di, '1.3', 'verifier', [
    ['What does not conform is answered with an error where it is consumed', none],
  ]),
  ...createSection(di, '2.1', 'issuer', [
    ['A proof on an object stands in its member `proof`', made],
    ['A proof names a type that is text', made],
    ['A proof names what it was made for as text', made],
    ['A proof of the type DataIntegrityProof names its suite as text', made],
    ['The key of a proof is named by a URL', made],
    ['The time at which a proof was made has an offset', made],
    ['A signature is written in multibase', made],
  ]),
  ...createSection(di, '2.1', 'verifier', [
    ['The value of `proof` is one object or several', none],
    ['An id of a proof is a URL', members],
    ['The type of a proof is there and is text', members],
    ['What a proof is for is there and is text', members],
    ['The key of a proof, where it is named, is text that is a URL', members],
    ['The suite is there and is text where the type is DataIntegrityProof', members],
    ['`created`, where it is there, is a dateTimeStamp', dates],
    ['`expires`, where it is there, is a dateTimeStamp', dates],
    ['A domain is one text or several', members],
    ['A signature has the letter and the alphabet of its multibase', signatures],
    ['`previousProof` is one text or several', members],
    ['A proof is good only with all that it names as before it', chains],
  ]),
  ...createSection(di, '2.3', 'both', [
    [
      '`digestMultibase`, where it is there, is one text or several, each a multibase of a multihash',
      'not ours: judged with related resources, see the Data Model 2.0, section 5.3',
    ],
  ]),
  ...createSection(di, '2.4', 'both', [
    ['The contexts of data integrity, Multikey and JWK are known without being fetched', known],
    [
      'The vocabulary is known without being fetched where RDF is processed',
      'not ours: no vocabulary is dereferenced; canonization needs contexts alone',
    ],
  ]),
  ...createSection(di, '2.4.1', 'verifier', [
    ['Contexts are validated, or what protects as well is done, before a document is used', contexts],
    [
      'That is done after the proofs were verified',
      'not ours: nothing is made of a document after it was verified but the verdict, for which its contexts were applied or compared as they were signed',
    ],
  ]),
  ...createSection(di, '2.4.2', 'issuer', [
    [
      'A document without contexts is given no members that extend the data model',
      'credentials.test.ts: name a context that maps their keys and is kept for ever',
    ],
  ]),
  ...createSection(di, '2.4.3', 'both', [
    ['What JSON-LD would drop is an error', lossless],
    ['Addresses are not completed from a base', lossless],
  ]),
  ...createSection(di, '3', 'issuer', [
    [
      'A specification of a suite is published, and names its parameters, algorithms, mitigations and considerations',
      suiteAuthors,
    ],
    ['The context of a suite protects its terms', suiteAuthors],
  ]),
  ...createSection(di, '3.1', 'both', [
    ['The type of such a proof is DataIntegrityProof', members],
    ['The suite is text that names a suite', members],
    [
      'Where texts have subtypes the suite is of that of suites',
      'not ours: texts of JSON have no subtypes; canonized, the base context gives it that one',
    ],
    ['A proof has a signature in `proofValue`', none],
    ['Suites use the members that every proof has to have', suiteAuthors],
  ]),
  ...createSection(di, '4.2', 'issuer', [
    ['Text is signed as UTF-8', made],
    ['An error of the suite is an error of the whole', whole],
    ['A proof that would lack its type, key or purpose is an error', made],
    [
      'A proof has the domain and the challenge that were asked for',
      'not ours: credentials are issued for nobody in particular; no domain and no challenge can be asked for',
    ],
  ]),
  ...createSection(di, '4.3', 'issuer', [
    ['Text of a further proof is signed as UTF-8', onlyOne],
    ['A further proof after one that is not there is an error', onlyOne],
  ]),
  ...createSection(di, '4.4', 'verifier', [
    ['An error comes as a verdict that it is not verified, with what is wrong', changed],
    ['A document that is no object is an error', malformed],
    [
      'A document whose proof is no object is an error',
      'integrity.musts.test.ts: refuses documents whose proof is none',
    ],
    ['A proof without type, key or purpose is an error', members],
    ['A proof for another purpose than was expected is an error', members],
    ['A proof for another domain than was expected is an error', door],
    ['A proof for another challenge than was expected is an error', door],
  ]),
  ...createSection(di, '4.5', 'verifier', [
    ['A proof that names one before it that is not there is an error', chains],
    ['One of several names that is not there is an error', chains],
    ['A proof of a set that does not verify makes the whole not verified', sets],
  ]),
  ...createSection(di, '4.7', 'verifier', [
    [
      'Errors as RFC 9457 problems have a type below https://w3id.org/security#',
      'vc-api.test.ts: says what does not hold, of its own credentials and of anyone’s',
    ],
  ]),
  ...createSection(eddsa, '1.2', 'both', [
    ['The statements about data model and algorithms are enforced', made],
    ['What does not conform is answered with an error', signatures],
  ]),
  ...createSection(eddsa, '2.1.1', 'both', [
    ['A public key begins with the letter of base58btc', keys],
    ['No other encoding of a public key is taken', keys],
    [
      'A secret key begins with the letter of base58btc',
      'not ours: secret keys are never written in Multikey, nor shown',
    ],
    ['No other encoding of a secret key is taken', 'not ours: no secret key is taken from anybody'],
  ]),
  ...createSection(eddsa, '2.2.1', 'issuer', [
    ['The type is DataIntegrityProof, the suite eddsa-jcs-2022 or eddsa-rdfc-2022', made],
    ['The signature is one of Ed25519 by itself, in base58btc', made],
    ['The form with eddsa-rdfc-2022 is signed over its RDF, as another implementation finds', third],
  ]),
  ...createSection(eddsa, '2.2.1', 'verifier', [
    ['A proof of another type is an error', members],
    ['A proof of another suite is an error', members],
    ['A signature in another encoding than base58btc is an error', signatures],
  ]),
  ...createSection(eddsa, '3.2.3', 'both', [
    ['Type and suite are there before the document is canonized with eddsa-rdfc-2022', members],
    ['Text is encoded as UTF-8 with eddsa-rdfc-2022', text],
    ['Another type and suite are an error with eddsa-rdfc-2022', none],
  ]),
  ...createSection(eddsa, '3.2.5', 'both', [
    ['The options of a proof have type and suite with eddsa-rdfc-2022', members],
    ['A date that is none is an error with eddsa-rdfc-2022', dates],
  ]),
  ...createSection(eddsa, '3.2.6', 'both', [
    ['The options of what is signed have their type with eddsa-rdfc-2022', members],
  ]),
  ...createSection(eddsa, '3.3.3', 'both', [
    ['Type and suite are there before the document is canonized with eddsa-jcs-2022', members],
    ['Text is encoded as UTF-8 with eddsa-jcs-2022', text],
    ['Another type and suite are an error with eddsa-jcs-2022', none],
  ]),
  ...createSection(eddsa, '3.3.5', 'both', [
    ['The options of a proof have type and suite with eddsa-jcs-2022', members],
    ['A date that is none is an error with eddsa-jcs-2022', dates],
  ]),
  ...createSection(eddsa, '3.3.6', 'both', [
    ['The options of what is signed have their type with eddsa-jcs-2022', members],
  ]),
  ...createSection(eddsa, 'A', 'both', [
    [
      'The suite Ed25519Signature2020 is as its appendix says',
      'not ours: that suite is older than Data Integrity, and is neither made nor taken here',
    ],
  ]),
  ...createSection(di, '5.10', 'verifier', [['A key is taken for what its controller offers it for', purposes]]),
]
