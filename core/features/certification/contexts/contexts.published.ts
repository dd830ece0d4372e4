import { baseContext, undefinedTermsContext } from './contexts.terms.ts'
import type { DigestFunction } from './related.digests.ts'

/**
 * Digests of W3C's contexts as W3C publishes them. The package that provides the contexts has the same JSON with other
 * white space. Source of the first sha256: W3C Verifiable Credentials Data Model 2.0, appendix B.1.
 */
const publishedDigests: Record<string, Partial<Record<string, string>>> = {
  [baseContext]: {
    sha256: '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734',
    sha384: '97f1eb8e5042356c805fdd61afa2c557663785e0794dcafa21e138fd38def18cb360133c221aa31d6896a6bf3e65b614',
    sha512:
      '5d55452bd2dcf8a29f5a290473eb242b1c5fb77d4e68f1a0aa87baa4dba26948'
      + '52d65ec63d48ac04a99d956f9f7153b9406f84d2d04c74869b02c239a1d81305',
  },
  [undefinedTermsContext]: {
    sha256: '82dab514ba44eb18f5d1b0f638c5e140c6a556fbfb5089601bdc0fa5eb8b2581',
    sha384: 'b2a66ccddba70ba67ad99c2ff52e60558df0063cea51c4ca886e25d9ea73cfabb878baf92dc2ad2bda26c31391850d68',
    sha512:
      '7c525ff49bc479ec5da7fccf5d56497e4be408eb269d36609cc1f6ce1f9c4ee2'
      + '3e4aefb53d3728b4a1cac56da6518fcfde789af23a5dfb77f4ce693eb5ed581b',
  },
  'https://www.w3.org/2018/credentials/v1': {
    sha256: 'ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc',
    sha384: '82c3b3eab863754bbfd2b9f17d8d6db9f61169f301cbf0b05e1fc4beb5f5c51dd4d2e888c274f49c3fbb2408f61faed1',
    sha512:
      '536a40b390dda94a9e39196c00090f62668e8184fe3c8c02c4a22c85666e68bf'
      + '6e85d3dc7f2dba85b2b62ef95d97de24132568d8504db43f2c9c82d2e88418d2',
  },
}

/** Returns the digest function of a context of W3C; undefined for any other. */
export function findPublishedDigestFunction(url: string): DigestFunction | undefined {
  const digests = Object.hasOwn(publishedDigests, url) ? publishedDigests[url] : undefined
  return (
    digests
    && ((algorithm) => {
      const hex = digests[algorithm]
      return hex === undefined ? null : Buffer.from(hex, 'hex')
    })
  )
}
