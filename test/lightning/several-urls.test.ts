import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

describe('LIGHTNING_URL with several URLs', () => {
  it('has one URL per node, separated by whitespace', () => {
    expect(readConfig({ LIGHTNING_URL: ' fake:?seed=1\n fake:?seed=2 ' }).lightningUrls).toEqual(['fake:?seed=1', 'fake:?seed=2']);
    expect(readConfig({}).lightningUrls).toEqual(['playground:']);
  });

  it.each([
    ['fake:?seed=1 playgroud://127.0.0.1:1?secret=topsecret', 'URL 2 of LIGHTNING_URL must be'],
    ['playground://127.0.0.1:4022?secert=topsecret fake:?seed=1', 'URL 1 of LIGHTNING_URL'],
    ['fake:?seed=1 fake:?seed=1', 'must not contain the same URL twice'],
  ])('an error in %s has the number of the URL and not its secret', (text, message) => {
    let thrown: unknown;
    try {
      readConfig({ LIGHTNING_URL: text });
    } catch (error) {
      thrown = error;
    }
    expect(String(thrown)).toContain(message);
    expect(String(thrown)).not.toContain('topsecret');
  });
});
