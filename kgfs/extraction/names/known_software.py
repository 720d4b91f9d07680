"""Software that many texts speak of and none explains: names that mean it wherever they stand, and commands that start it.

Used by the types of names and by the readers of facts; data only. A handbook says ``deploy it to Kubernetes`` as
if everybody knew what that is, and the tagger takes *Prometheus* for a place. Only names that are no ordinary word are
here, and a few that are (``SHARED_WORDS``), which count where the document has others.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

SOFTWARE = frozenset(
    """
    Airtable|AngularJS|Ansible|Apache Airflow|Apache Kafka|Apache Spark|ArgoCD|Argo CD|AWS Lambda|Azure DevOps|BigQuery|
    Bitbucket|Bitwarden|BrowserStack|Caddy|Cassandra|ChatGPT|CircleCI|ClickHouse|CloudFormation|CloudWatch|CockroachDB|Confluence|
    CouchDB|CoreDNS|Datadog|Debian|Dependabot|Django|Docker|Docker Compose|Docker Hub|Docker Swarm|Drupal|DuckDB|DynamoDB|
    Elasticsearch|Eleventy|ESLint|etcd|FastAPI|Fastly|Fedora|Figma|FluentBit|Fluent Bit|Fluentd|FreeBSD|GitHub|GitHub Actions|
    GitHub Copilot|GitHub Pages|GNU Privacy Guard|Google Cloud Platform|GitLab|GitLab CI|GnuPG|Google Docs|Google Drive|Google Calendar|Google Meet|Google Sheets|Grafana|HAProxy|HashiCorp Vault|
    Heroku|Homebrew|HubSpot|InfluxDB|IntelliJ IDEA|Istio|Jekyll|Jenkins|Jira|JUnit|Jupyter|JupyterHub|JupyterLab|K3s|Kafka|Keycloak|Kibana|
    Kubernetes|Kustomize|LaTeX|LibreOffice|LLVM|Logstash|Let's Encrypt|MariaDB|Mattermost|Memcached|Microsoft Teams|Minikube|MinIO|MongoDB|
    MySQL|Neo4j|Netlify|NGINX|Nginx|Node.js|NumPy|Okta|OpenAPI|OpenShift|OpenSSL|OpenTelemetry|OpenTofu|OpsGenie|Opsgenie|PagerDuty|
    Podman|PostgreSQL|Postgres|PowerShell|Prisma|Prometheus|PyPI|PyTorch|pytest|RabbitMQ|React Native|ReadTheDocs|Read the Docs|Redis|Redshift|
    Rollbar|RuboCop|Ruby on Rails|SendGrid|SharePoint|Slack|Snowflake|SonarQube|Splunk|SQLite|StackOverflow|Stack Overflow|Statuspage|Storybook|
    Sublime Text|Supabase|Superset|systemd|Tailscale|TensorFlow|Terraform|TestFlight|Thanos|Traefik|Travis CI|Typeform|Ubuntu|Vagrant|Vercel|VirtualBox|
    Visual Studio Code|VS Code|VSCode|Vue.js|webpack|Webpack|WordPress|Xcode|Zapier|Zendesk|ZooKeeper
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
SHARED_WORDS = frozenset("Chef|Consul|Cypress|Git|Helm|Nomad|Notion|Puppet|Sentry|Trello|Vault|Zoom".split("|"))
"""Names of software that are words too: they count where the document names two others."""
COMMANDS = {
    "ansible": "Ansible", "ansible-playbook": "Ansible", "apt": "APT", "apt-get": "APT", "aws": "AWS CLI", "az": "Azure CLI",
    "brew": "Homebrew", "bundle": "Bundler", "cargo": "Cargo", "composer": "Composer", "conda": "conda", "cosign": "Cosign",
    "curl": "curl", "debuild": "debuild", "dnf": "DNF", "docker": "Docker", "docker-compose": "Docker Compose", "dotnet": ".NET",
    "dpkg": "dpkg", "dput": "dput", "eksctl": "eksctl", "flux": "Flux", "gcloud": "gcloud", "gem": "RubyGems", "gh": "GitHub CLI",
    "git": "Git", "go": "Go", "gpg": "GnuPG", "gradle": "Gradle", "helm": "Helm", "heroku": "Heroku", "hugo": "Hugo",
    "jekyll": "Jekyll", "jq": "jq", "k3d": "k3d", "kind": "kind", "kubectl": "kubectl", "kustomize": "Kustomize",
    "lxc": "LXC", "make": "Make", "minikube": "Minikube", "mvn": "Maven", "mysql": "MySQL", "node": "Node.js", "nox": "nox",
    "npm": "npm", "npx": "npm", "openssl": "OpenSSL", "pip": "pip", "pip3": "pip", "pipenv": "Pipenv", "pnpm": "pnpm", "podman": "Podman",
    "poetry": "Poetry", "pre-commit": "pre-commit", "psql": "PostgreSQL", "pytest": "pytest", "quilt": "quilt", "rails": "Ruby on Rails",
    "rake": "Rake", "redis-cli": "Redis", "rsync": "rsync", "rustup": "rustup", "sbuild": "sbuild", "snap": "snap",
    "sops": "SOPS", "ssh": "SSH", "systemctl": "systemd", "journalctl": "systemd", "terraform": "Terraform", "tox": "tox", "uv": "uv",
    "vagrant": "Vagrant", "wget": "wget", "yarn": "Yarn", "yum": "YUM",
}  # fmt: skip
"""What one types to the name of what it starts."""
FIRMS_TOO = frozenset(
    "Airtable|Bitbucket|Bitwarden|BrowserStack|CircleCI|Datadog|Docker|Fastly|Figma|GitHub|GitLab|Grafana|Heroku|HubSpot|"
    "Mattermost|MongoDB|Netlify|Okta|PagerDuty|Rollbar|SendGrid|Slack|Snowflake|Splunk|Stack Overflow|Supabase|Tailscale|"
    "Typeform|Vercel|Zapier|Zendesk|Zoom|Sentry|Notion|Chef|Puppet".split("|")
)
"""Names of software that its makers have, too."""


def software_type(name: str) -> str:
    """The type of what a command starts."""
    return "Technology" if name in ("SSH", "Go", ".NET") else "Product"


def is_known_software(name: str) -> bool:
    """Whether a name is that of well-known software, or a word that is such a name in texts on software."""
    return name in SOFTWARE or name in SHARED_WORDS
