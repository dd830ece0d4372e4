/** Proofs and their suites, loaded with the first proof: a process starts sooner without them. */
export const loadProofs = () => import('@digitalbazaar/data-integrity')
export const loadJcs = () => import('@digitalbazaar/eddsa-jcs-2022-cryptosuite')

/** Suites of embedded proofs that are made and judged here. Every certified passport has the first. */
export const cryptosuites = ['eddsa-jcs-2022', 'eddsa-rdfc-2022'] as const
export type Cryptosuite = (typeof cryptosuites)[number]
