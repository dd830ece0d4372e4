import { createSection, type RequirementBearer, type Requirement } from './list.ts'

type Rows = readonly (readonly [says: string, shown: string])[]
const of = (number: string, who: RequirementBearer, rows: Rows): Requirement[] =>
  createSection('Verifiable Credentials Data Model 2.0', number, who, rows)

const both = 'verify.test.ts: finds it good in both forms, as an object, a token or an envelope'
const contexts = 'model.test.ts: without contexts, or with others than a list that begins with the base context'
const ids = 'model.test.ts: for an id that is not one URL, of it and of what is in it'
const types = 'model.test.ts: without a type, or one that is neither a term nor an absolute URL'
const typed =
  'model.parts.test.ts: for a status, a schema, evidence, terms of use, a refresh service or a method without a type'
const objects =
  'model.parts.test.ts: for a status, a schema, evidence, terms of use, a refresh service or a method that is no object'
const texts = 'model.test.ts: for a name or a description that is neither text nor text in a language'
const envelopes = 'model.test.ts: as an envelope with another type, without the base context, or without a data: URL'
const wrapped =
  'model.presentations.test.ts: is refused in an envelope of another type, without the base context, or without a data: URL'
const ownTerms = 'credentials.test.ts: name a context that maps their keys and is kept for ever'

const ofSchemes =
  'not ours: binds who specifies a way to tell the status, and no way is specified here: lists are W3C’s Bitstring Status Lists'
const ofMechanisms =
  'not ours: binds who specifies a securing mechanism, and none is specified here: proofs are W3C’s Data Integrity and VC-JOSE-COSE'
const ofTransformations =
  'not ours: binds who specifies how another format becomes this one, and no other format is read here'
const ofVocabularies = 'not ours: binds who defines this vocabulary or depends on its files; none of them is read here'

/** Source: W3C Verifiable Credentials Data Model 2.0, Recommendation of 15 May 2025, each MUST, MUST NOT and REQUIRED. */
export const dataModelMusts: Requirement[] = [
  ...of('1.3', 'both', [
    [
      'A conforming document holds to every demand of the sections on basic and advanced concepts and on syntaxes',
      'model.test.ts: with all of its faults at once, in whichever form it comes',
    ],
    [
      'A conforming document is a credential (application/vc) or a presentation (application/vp)',
      'credentials.test.ts: come in the form that is asked for, of those there are',
    ],
    ['A conforming document is secured by at least one mechanism', both],
  ]),
  ...of('1.3', 'issuer', [
    [
      'What is issued has every required property',
      'model.good.test.ts: issued by an organization here, in both forms, with status lists that are credentials themselves',
    ],
    ['What is issued is secured', both],
  ]),
  ...of('1.3', 'verifier', [
    ['What secures a document is verified', 'verify.test.ts: finds a value that was changed'],
    [
      'Each required property is checked for what is demanded of it',
      'model.test.ts: without a subject, or with one of which nothing is claimed',
    ],
    [
      'A document that does not conform brings an error',
      'model.test.ts: with all of its faults at once, in whichever form it comes',
    ],
  ]),
  ...of('4.3', 'both', [
    ['A credential or a presentation has a `@context`', contexts],
    ['The contexts are an ordered set whose first item is the base context', contexts],
    [
      'Further contexts are URLs or objects that JSON-LD can process',
      'model.test.ts: for a further context that is neither a URL nor an object, or is there twice',
    ],
    [
      'An object among the contexts maps its terms as JSON-LD has it',
      'model.test.ts: for what a context inside of it maps to no URL, or takes from a protected term',
    ],
    [
      'A presentation has contexts of the same form',
      'model.presentations.test.ts: is refused without contexts that begin with the base context',
    ],
    [
      'Who builds an application understands each context that it uses',
      'not ours: binds who draws conclusions from the claims; here a credential is verified whatever it claims, and what is issued uses contexts of W3C, UNTP and our own',
    ],
  ]),
  ...of('4.4', 'both', [['An `id`, where there is one, is a single URL', ids]]),
  ...of('4.5', 'both', [
    ['A credential or a presentation has a `type`', types],
    ['Types are one or more terms and absolute URLs', types],
    ['A type that is a term is mapped by a context', 'model.test.ts: for a type that none of its contexts maps'],
    [
      'Credentials name VerifiableCredential among their types',
      'verify.test.ts: refuses what is no credential, with the place',
    ],
    ['Status, terms of use, evidence, refresh services and schemas have a type', typed],
  ]),
  ...of('4.6', 'both', [
    ['A `name` is text, or text in a language', texts],
    ['A `description` is text, or text in a language', texts],
  ]),
  ...of('4.7', 'both', [
    [
      'A credential has an `issuer`',
      'model.test.ts: without an issuer, or with one that is no URL and has none as its id',
    ],
    [
      'The issuer is a URL, or an object whose `id` is one',
      'model.test.ts: without an issuer, or with one that is no URL and has none as its id',
    ],
  ]),
  ...of('4.8', 'both', [
    [
      'A credential has a `credentialSubject`',
      'model.test.ts: without a subject, or with one of which nothing is claimed',
    ],
    [
      'Each subject is an object of which something is claimed',
      'model.test.ts: without a subject, or with one of which nothing is claimed',
    ],
    [
      'What is claimed of a subject stands inside of `credentialSubject`',
      'credentials.test.ts: certify what the sheet and its passport have at the certified paths',
    ],
  ]),
  ...of('4.9', 'both', [
    [
      'A `validFrom` is a dateTimeStamp as text',
      'model.test.ts: for a validFrom or a validUntil that is no dateTimeStamp',
    ],
    [
      'A `validUntil` is a dateTimeStamp as text',
      'model.test.ts: for a validFrom or a validUntil that is no dateTimeStamp',
    ],
    [
      'The validity does not begin after it ends, compared as instants',
      'model.test.ts: for a validity that ends before it begins',
    ],
    [
      'The validity does not end before it begins, compared as instants',
      'model.test.ts: for a validity that ends before it begins',
    ],
  ]),
  ...of('4.10', 'both', [
    ['The `id` of a status is a single URL', ids],
    ['A status has a `type`', typed],
    ['Types of a status are terms and absolute URLs', 'model.test.ts: for a type that none of its contexts maps'],
    ['A way to tell the status does not let anybody be followed', ofSchemes],
  ]),
  ...of('4.11', 'both', [
    ['A `credentialSchema` is one or more schemas', objects],
    ['A schema has a `type`', typed],
    ['A schema has an `id` that is a URL', 'model.parts.test.ts: for a schema without an id'],
  ]),
  ...of('4.13', 'both', [
    [
      'The `id` of a presentation is a single URL',
      'model.presentations.test.ts: is refused for an id that is not one URL',
    ],
    [
      'A presentation has a `type`',
      'model.presentations.test.ts: is refused without its type, or with one that is none',
    ],
    [
      'One type of a presentation is VerifiablePresentation',
      'model.presentations.test.ts: is refused without its type, or with one that is none',
    ],
    [
      'Types of a presentation are terms and absolute URLs',
      'model.presentations.test.ts: is refused without its type, or with one that is none',
    ],
    [
      'A `verifiableCredential` is one or more credentials or envelopes of such',
      'model.presentations.test.ts: is refused with credentials that are no objects, or are malformed',
    ],
    [
      'A `verifiableCredential` has no text, number or URL in place of an object',
      'model.presentations.test.ts: is refused with credentials that are no objects, or are malformed',
    ],
    [
      'What stands in `verifiableCredential` is secured by a mechanism',
      'vc-api.presentations.test.ts: takes claims of the holder by its own signature',
    ],
    [
      'A `holder` is a URL, or an object with an `id`',
      'model.presentations.test.ts: is refused for a holder that is no URL and has none as its id',
    ],
  ]),
  ...of('4.13.1', 'both', [
    ['An envelope of a credential has a context that defines its terms, as the base context does', envelopes],
    ['The `id` of an envelope of a credential is a data: URL with a secured credential', envelopes],
    ['The `type` of an envelope of a credential is EnvelopedVerifiableCredential', envelopes],
  ]),
  ...of('4.13.2', 'both', [
    ['An envelope of a presentation has a context that defines its terms, as the base context does', wrapped],
    ['The `id` of an envelope of a presentation is a data: URL with a secured presentation', wrapped],
    ['The `type` of an envelope of a presentation is EnvelopedVerifiablePresentation', wrapped],
  ]),
  ...of('4.13.4', 'both', [
    [
      'A presentation whose signature alone secures claims of its holder names the holder',
      'vc-api.presentations.test.ts: takes claims of the holder by its own signature',
    ],
  ]),
  ...of('5.2.1', 'issuer', [
    [
      'A new term has a URL of its own',
      'content.test.ts: map every key of the data, at every depth, to an address of its own',
    ],
    [
      'What a new term means is documented for people',
      'not ours: keys of certified data are names that organizations give to their own data, and what they mean is theirs to document',
    ],
    ['The context of new terms can be read at its URL', ownTerms],
    ['The context of new terms maps each of them to its URL', ownTerms],
    [
      'Where terms are left that no context defines, the last context is that of undefined terms',
      'model.good.test.ts: with keys of its own in a context of its own, and what no context maps under that of undefined terms',
    ],
  ]),
  ...of('5.2.1', 'verifier', [
    [
      'A context that gives a term of the base context another meaning is an error',
      'model.test.ts: for what a context inside of it maps to no URL, or takes from a protected term',
    ],
  ]),
  ...of('5.3', 'both', [
    [
      'A `relatedResource` is one or more objects',
      'model.parts.test.ts: for a related resource that is no object, has no id or has that of another',
    ],
    [
      'A related resource has an `id` that is a single URL',
      'model.parts.test.ts: for a related resource that is no object, has no id or has that of another',
    ],
    [
      'No two related resources have one `id`',
      'model.parts.test.ts: for a related resource that is no object, has no id or has that of another',
    ],
    [
      'A related resource has `digestSRI` or `digestMultibase`',
      'model.parts.test.ts: for a related resource without a digest, or with one that is none',
    ],
  ]),
  ...of('5.3', 'verifier', [
    [
      'The digest of a related resource that is used is computed',
      'verify.hosts.test.ts: are held as they were loaded where they are contexts',
    ],
    [
      'A related resource that does not fit its digest brings an error',
      'model.good.test.ts: breaks the proof where it is another one than its digest says',
    ],
  ]),
  ...of('5.4', 'both', [
    ['A `refreshService` is one or more services', objects],
    ['A refresh service has a `type`', typed],
  ]),
  ...of('5.5', 'both', [
    ['A `termsOfUse` is one or more terms', objects],
    ['Terms of use have a `type`', typed],
  ]),
  ...of('5.6', 'both', [
    ['An `evidence` is an object, or one or more of them', objects],
    ['The `id` of evidence is a single URL', ids],
    ['Evidence has a `type`', typed],
    ['Types of evidence are terms and absolute URLs', 'model.test.ts: for a type that none of its contexts maps'],
  ]),
  ...of('5.7', 'both', [
    ['A mechanism with zero-knowledge proofs leaks nothing by which a holder could be followed', ofMechanisms],
  ]),
  ...of('5.8', 'verifier', [
    [
      'A time without an offset is read as UTC',
      'not ours: a validFrom or a validUntil without an offset is no dateTimeStamp and is refused, as section 4.9 has it, so that none is left to be read',
    ],
  ]),
  ...of('5.10', 'both', [
    ['The value of a reserved member, like `confidenceMethod` and `renderMethod`, has a `type`', typed],
    ['The term `confidenceMethod` stands for its URL in W3C’s vocabulary', ofVocabularies],
    ['The term `renderMethod` stands for its URL in W3C’s vocabulary', ofVocabularies],
  ]),
  ...of('5.11', 'issuer', [
    ['A transformation says whether it can be undone', ofTransformations],
    ['A transformation that can be undone keeps the contexts', ofTransformations],
    ['A transformation comes to a conforming document', ofTransformations],
    ['A transformation names the media type that it reads', ofTransformations],
  ]),
  ...of('5.13', 'both', [
    ['A securing mechanism documents algorithms that protect the integrity', ofMechanisms],
    ['A securing mechanism has an algorithm that gives back what was secured, alone', ofMechanisms],
    ['The algorithm takes a media type and the data', ofMechanisms],
    ['A new kind of embedded proof names the property that it stands under', ofMechanisms],
    ['A securing mechanism defines the terms of its proofs', ofMechanisms],
    ['A securing mechanism secures everything but its own proofs', 'verify.test.ts: finds a value that was changed'],
  ]),
  ...of('6.1.1', 'both', [
    [
      'What is served as application/vc is in the compacted form of JSON-LD',
      'model.test.ts: in another than the compacted form of JSON-LD',
    ],
  ]),
  ...of('7.1', 'verifier', [
    ['A credential is verified by what secures it, then by its form, with errors for the same inputs', both],
    [
      'What judges a proof is chosen by the kind of what is given',
      'verify.foreign.test.ts: takes each of the three ways to secure it',
    ],
  ]),
  ...of('7.2', 'verifier', [
    [
      'Details of a problem have a `type` that is a URL',
      'model.test.ts: with the address of what kind of problem it is',
    ],
  ]),
  ...of('11.1', 'both', [
    ['Text in a language has its text as `@value`', texts],
    ['Text in a language has no other members than `@value`, `@language` and `@direction`', texts],
  ]),
  ...of('B.1', 'verifier', [
    [
      'The base context counts as already retrieved',
      'verify.foreign.test.ts: takes each of the three ways to secure it',
    ],
    [
      'What cannot be expanded with its contexts does not verify',
      'verify.foreign.test.ts: finds a term that no context maps, which eddsa-rdfc-2022 does not cover',
    ],
  ]),
  ...of('B.2', 'verifier', [
    ['Addresses of the vocabulary lead to the files that the specification has', ofVocabularies],
  ]),
]
