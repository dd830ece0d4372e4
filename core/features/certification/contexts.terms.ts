/** What every credential begins with. Source: VC Data Model 2.0, section 4.3. */
export const baseContext = 'https://www.w3.org/ns/credentials/v2'
/** What terms without a meaning of their own are. Source: VC Data Model 2.0, section 5.2.1. */
export const undefinedTerms = 'https://www.w3.org/ns/credentials/undefined-terms/v2'

/** Terms that the core context protects. Source: W3C Verifiable Credentials Data Model 2.0, appendix B.1. */
const ofCore = `
  id type description digestMultibase digestSRI mediaType name VerifiableCredential EnvelopedVerifiableCredential
  VerifiablePresentation EnvelopedVerifiablePresentation JsonSchemaCredential JsonSchema
  BitstringStatusListCredential BitstringStatusList BitstringStatusListEntry DataIntegrityProof ... _sd _sd_alg
  aud cnf exp iat iss jku kid nbf sub x5u`

/**
 * Prefixes and types that UNTP's context protects. Members of its types are mapped inside of those alone, so that the
 * same names inside of the characteristics are ours to map. Source: UNTP 0.7.0, JSON-LD context.
 */
const ofUntp = `
  untp schema schemaorg renderMethodPrefix xsd IdentifierScheme Party CredentialIssuer Entity ConformityTopic
  PerformanceMetric Criterion Regulation Standard Claim Facility ConformityScheme ConformityProfile Product
  ConformityAssessment ConformityAttestation LifecycleEvent MakeEvent MoveEvent ModifyEvent RegisteredIdentity`

/**
 * Terms that a later revision of UNTP's context of 0.7.0 protects, which has the address of the first. A context of ours
 * that gave them a meaning would break with that revision, and what it does not map would mean nothing with the first.
 */
const ofLaterUntp = 'DigitalProductPassport issuingSoftware RenderTemplate2024'

/** Members of a product that UNTP's context maps. Source: UNTP 0.7.0, Product. */
const ofProduct = `
  type id name description idScheme modelNumber batchNumber itemNumber idGranularity productImage characteristics
  productCategory relatedDocument relatedParty producedAtFacility productionDate expiryDate countryOfProduction dimensions
  materialProvenance packaging productLabel performanceClaim`

const listed = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Terms that the base context protects. */
export const coreTerms = listed(ofCore)

/**
 * Terms that nothing of a caller can be called by, as they have a meaning in one revision of UNTP's context only, whichever
 * is kept: others who verify may have the other one. What the revision that is kept protects beyond is read from it.
 */
export const refusedTerms = listed(ofLaterUntp)

/** Members of a product that have a meaning there. */
export const productTerms = listed(ofProduct)

/** Terms that contexts before ours give a meaning to. A protected one cannot be given another. */
export const takenTerms = listed(`${ofCore} ${ofUntp}`)
