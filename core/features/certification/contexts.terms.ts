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

/** Terms that contexts before ours give a meaning to. A protected one cannot be given another. */
export const takenTerms: ReadonlySet<string> = new Set(`${ofCore} ${ofUntp}`.trim().split(/\s+/))
