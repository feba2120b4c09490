# The image contains what `npm pack` would publish, and the packages that it needs to run; no compiler, no tests.

FROM node:24-slim AS package
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No package needs a script of its own: the one that fetches another Node is for development.
RUN npm ci --ignore-scripts
# .dockerignore lists what is copied.
COPY . .
RUN npm pack --silent \
    && mkdir /package \
    && tar --extract --gzip --file tidemark-*.tgz --strip-components=1 --directory /package

FROM node:24-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
LABEL org.opencontainers.image.title="Tidemark" \
      org.opencontainers.image.description="A ResourceSync source" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=dependencies /build/node_modules /app/node_modules
COPY --from=package /package /app
# For `docker compose exec tidemark tidemark status`; and the data folder, whose owner a new volume gets.
RUN chmod +x /app/dist/main.js \
    && ln -s /app/dist/main.js /usr/local/bin/tidemark \
    && install --directory --owner=node --group=node --mode=0700 /data

ENV NODE_ENV=production \
    TIDEMARK_DATA=/data \
    TIDEMARK_HOST=0.0.0.0 \
    TIDEMARK_PORT=8080
# The user "node", by a number, so that Kubernetes knows that it is not root.
USER 1000
# tidemark.config.json is read from here.
WORKDIR /data
VOLUME /data
EXPOSE 8080

# Whether the process lives. /readyz would also fail while the store does not answer, and then an engine that replaces
# unhealthy containers would replace one that recovers by itself. Another server may answer at a port that is shared.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "--eval", "fetch('http://127.0.0.1:' + (process.env.TIDEMARK_OWN_PORT || process.env.TIDEMARK_PORT) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))"]

# Node itself, because npm does not pass SIGTERM on.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
