/** Loads the proof libraries at the first proof, so that a process starts faster. */
export const loadDataIntegrity = () => import('@digitalbazaar/data-integrity')
export const loadJcsCryptosuite = () => import('@digitalbazaar/eddsa-jcs-2022-cryptosuite')

/** The supported suites of embedded proofs. Every certified passport has a proof of the first. */
export const cryptosuites = ['eddsa-jcs-2022', 'eddsa-rdfc-2022'] as const
export type Cryptosuite = (typeof cryptosuites)[number]
