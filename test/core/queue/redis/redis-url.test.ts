import { expect } from 'chai'
import { parseRedisUrl } from '../../../../core/queue/redis/redis.ts'

describe('Address of Redis', () => {
  it('has a host, and a port and a database unless they are the usual ones', () => {
    expect(parseRedisUrl('redis://cache.example')).to.deep.equal({ host: 'cache.example', port: 6379, db: 0 })
    expect(parseRedisUrl('redis://127.0.0.1:7000/3')).to.deep.equal({ host: '127.0.0.1', port: 7000, db: 3 })
    expect(parseRedisUrl('redis://[::1]:7000')).to.deep.equal({ host: '::1', port: 7000, db: 0 })
  })

  it('may have a password, with or without a user, in the spelling of addresses', () => {
    const base = { host: 'cache.example', port: 6379, db: 0 }
    expect(parseRedisUrl('redis://:p%40ss@cache.example')).to.deep.equal({ ...base, password: 'p@ss' })
    expect(parseRedisUrl('redis://a%3Ab:secret@cache.example')).to.deep.equal({
      ...base,
      user: 'a:b',
      password: 'secret',
    })
  })

  it('may ask for TLS, which is checked against its host', () => {
    expect(parseRedisUrl('rediss://cache.example')).to.deep.equal({
      host: 'cache.example',
      port: 6379,
      db: 0,
      tls: { servername: 'cache.example' },
    })
  })
})
