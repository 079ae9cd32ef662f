/** Stored profiles of RPC nodes (`NodeProfileStore`), by the hash of the node's URL. Old and long ones are not read. */
import { MAX_PROFILE_CHARACTERS, type NodeProfileStore } from '../../../ports/node-profiles.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { execute, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';

const RETENTION_SECONDS = 30 * 86_400;
const MAX_ROWS = 1_000;

export function createNodeProfiles(database: SqlDatabase): NodeProfileStore {
  const { builder } = database.dialect;
  const select = prepareQuery({ after: integer }, ({ after }) =>
    builder
      .selectFrom('node_profiles')
      .select(['url_hash', 'profile'])
      .where('updated_at', '>', after)
      .where(({ fn }) => fn<number>('length', ['profile']), '<=', MAX_PROFILE_CHARACTERS)
      .orderBy('updated_at', 'desc')
      .limit(MAX_ROWS),
  );
  const upsert = prepareQuery({ urlHash: bytes, profile: text, updatedAt: integer }, (value) =>
    builder
      .insertInto('node_profiles')
      .values({ url_hash: value.urlHash, profile: value.profile, updated_at: value.updatedAt })
      .onConflict((conflict) =>
        conflict
          .column('url_hash')
          .doUpdateSet((set) => ({ profile: set.ref('excluded.profile'), updated_at: set.ref('excluded.updated_at') })),
      ),
  );
  const deleteOld = prepareQuery({ until: integer }, ({ until }) =>
    builder.deleteFrom('node_profiles').where('updated_at', '<=', until),
  );

  function* write(profiles: ReadonlyMap<string, string>, nowSeconds: number): SqlProgram<void> {
    // In one order in every process, so that two of them cannot wait for each other.
    for (const [urlHash, profile] of [...profiles].sort(([one], [other]) => (one < other ? -1 : 1))) {
      yield* execute(upsert({ urlHash: Buffer.from(urlHash, 'hex'), profile, updatedAt: nowSeconds }));
    }
    yield* execute(deleteOld({ until: nowSeconds - RETENTION_SECONDS }));
  }

  return {
    async readNodeProfiles(nowSeconds) {
      const rows = await database.run(readRows(select({ after: nowSeconds - RETENTION_SECONDS })));
      return new Map(rows.map(({ url_hash, profile }) => [Buffer.from(url_hash).toString('hex'), profile]));
    },
    writeNodeProfiles: (profiles, nowSeconds) => database.transaction(write(profiles, nowSeconds)),
  };
}
