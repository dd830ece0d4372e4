/** The first context of every credential. Source: VC Data Model 2.0, section 4.3. */
export const baseContext = 'https://www.w3.org/ns/credentials/v2'
/** The context that maps all terms without a meaning of their own. Source: VC Data Model 2.0, section 5.2.1. */
export const undefinedTermsContext = 'https://www.w3.org/ns/credentials/undefined-terms/v2'

/** Terms that the base context protects. Source: W3C Verifiable Credentials Data Model 2.0, appendix B.1. */
const coreTermText = `
  id type description digestMultibase digestSRI mediaType name VerifiableCredential EnvelopedVerifiableCredential
  VerifiablePresentation EnvelopedVerifiablePresentation JsonSchemaCredential JsonSchema
  BitstringStatusListCredential BitstringStatusList BitstringStatusListEntry DataIntegrityProof ... _sd _sd_alg
  aud cnf exp iat iss jku kid nbf sub x5u`

/**
 * Prefixes and types that UNTP's context protects. The context maps the members of a type inside of that type alone, so
 * our context may map the same names inside of the characteristics. Source: UNTP 0.7.0, JSON-LD context.
 */
const untpTermText = `
  untp schema schemaorg renderMethodPrefix xsd IdentifierScheme Party CredentialIssuer Entity ConformityTopic
  PerformanceMetric Criterion Regulation Standard Claim Facility ConformityScheme ConformityProfile Product
  ConformityAssessment ConformityAttestation LifecycleEvent MakeEvent MoveEvent ModifyEvent RegisteredIdentity`

/**
 * Terms that only a later revision of UNTP's context 0.7.0 protects; both revisions have the same address. If our
 * context mapped these terms, it would be invalid with the later revision; if it did not, they would have no meaning
 * with the first.
 */
const laterUntpTermText = 'DigitalProductPassport issuingSoftware RenderTemplate2024'

/** Members of a product that UNTP's context maps. Source: UNTP 0.7.0, Product. */
const productTermText = `
  type id name description idScheme modelNumber batchNumber itemNumber idGranularity productImage characteristics
  productCategory relatedDocument relatedParty producedAtFacility productionDate expiryDate countryOfProduction dimensions
  materialProvenance packaging productLabel performanceClaim`

const parseTerms = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const coreTerms = parseTerms(coreTermText)

/**
 * Names that a caller's content may not use, whichever revision of UNTP's context is stored here: only one revision
 * gives them a meaning, and a verifier may have the other revision. `readProtectedTerms` reads the further terms that
 * the stored revision protects.
 */
export const ambiguousTerms = parseTerms(laterUntpTermText)

/** Members of a product that UNTP's context maps. */
export const productTerms = parseTerms(productTermText)

/** Terms that the contexts before ours map. A protected term cannot be mapped again. */
export const predefinedTerms = parseTerms(`${coreTermText} ${untpTermText}`)
