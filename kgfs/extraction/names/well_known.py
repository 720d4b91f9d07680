"""What everybody knows and no text explains: software, techniques, practices and laws, and commands that start software.

Used by the types of names and by the readers of facts; data only. A handbook says ``deploy it to Kubernetes`` as
if everybody knew what that is, and the tagger takes *Prometheus* for a place. Only names that are no ordinary word are
here, and a few that are (``SHARED_WORDS``), which count where the document has others.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.firms import FIRMS

SYSTEMS = frozenset(
    "Windows Linux Unix macOS iOS Android Ubuntu Debian Fedora PowerShell Chrome Firefox Photoshop PowerPoint "
    "MacBook MacBooks iPhone iPhones iPad iPads Chromebook Chromebooks GitHub GitLab Bitbucket Jira Kubernetes Docker "
    "Jenkins CPython PyPy MySQL PostgreSQL SQLite MongoDB Elasticsearch Terraform Ansible WordPress Gmail "
    "Trello".split()
)
"""Words that make a longer name one of software, or of what it runs on."""
SOFTWARE = SYSTEMS | frozenset(
    """
    Adobe Acrobat|Airtable|Amazon EC2|Amazon S3|AngularJS|Apache Airflow|Apache Cassandra|Apache HTTP Server|Apache Kafka|Apache Spark|Argo CD|ArgoCD|Asana|
    Asciidoctor|AsciiDoctor|AutoCAD|AWS Lambda|Azure DevOps|BambooHR|BigQuery|Bitwarden|Bluesky|BreatheHR|BrowserStack|Bugzilla|BugZilla|Caddy|Calendly|Canva|Cassandra|
    CentOS|ChatGPT|CircleCI|ClickHouse|CloudFormation|CloudWatch|CockroachDB|Codecov|Confluence|CoreDNS|CouchDB|Coveralls|cURL|Databricks|Datadog|Dependabot|
    Dependency-Track|Discourse|Django|Docker Compose|Docker Hub|Docker Swarm|Docusaurus|DocuSign|Doxygen|Dropbox|Drupal|DuckDB|DynamoDB|Eleventy|Emacs|ESLint|
    etcd|Etherpad|Excel|FastAPI|Fastly|FFmpeg|Figma|Fluent Bit|FluentBit|Fluentd|FreeBSD|GIMP|GitBook|Gitea|GitHub Actions|GitHub Copilot|GitHub Desktop|
    GitHub Discussions|GitHub Issues|GitHub Pages|GitLab CI|Gitter|GNU Privacy Guard|GnuPG|Google Analytics|Google Calendar|Google Chrome|Google Cloud Platform|
    Google Colab|Google Docs|Google Drive|Google Forms|Google Groups|Google Maps|Google Meet|Google Sheets|Google Slides|Google Workspace|Gradle|Grafana|
    GraphiQL|HackMD|Hadoop|HAProxy|HashiCorp Vault|Heroku|Homebrew|HubSpot|ImageMagick|InfluxDB|Inkscape|Instagram|IntelliJ IDEA|Internet Explorer|Istio|Jekyll|Joomla|
    JUnit|Jupyter|Jupyter Book|Jupyter Notebook|JupyterHub|JupyterLab|K3s|Kafka|Keycloak|Kibana|kubectl|Kubeflow|Kustomize|LaTeX|Let's Encrypt|LibreOffice|LLVM|
    Logseq|Logstash|Mailchimp|MapReduce|MariaDB|Matplotlib|Mattermost|Mediawiki|MediaWiki|Memcached|Microsoft Azure|Microsoft Excel|Microsoft Teams|
    Microsoft Word|Minikube|MinIO|Miro|MkDocs|MLflow|Moodle|Mozilla Firefox|Neo4j|Neovim|Netlify|Netlify CMS|Next.js|Nginx|NGINX|Node.js|npm|NumPy|Nuxt|Okta|
    OneDrive|OneNote|OpenAPI|OpenCV|OpenShift|OpenSSL|OpenStack|OpenStreetMap|OpenTelemetry|OpenTofu|OpsGenie|Opsgenie|Overleaf|PagerDuty|Pandoc|Perforce|
    Phabricator|phpMyAdmin|Playwright|Plotly|Podman|Postgres|Prisma|Prometheus|Pulumi|PyCharm|PyPI|PySpark|pytest|PyTorch|QGIS|QuickBooks|RabbitMQ|React Native|
    Read the Docs|ReadTheDocs|Reddit|Redis|Redshift|Rollbar|RStudio|RuboCop|Ruby on Rails|RubyGems|scikit-learn|SciPy|SendGrid|SharePoint|Slack|Snowflake|SonarQube|
    SourceForge|Splunk|Spring Boot|Stack Overflow|StackOverflow|Statuspage|Storybook|Sublime Text|Substack|Supabase|Superset|SurveyMonkey|SVN|systemd|Tailscale|TeamCity|
    TensorFlow|Telegram|TestFlight|Thanos|TikTok|Thunderbird|Tomcat|Traefik|Travis CI|Twilio|Typeform|Vagrant|Vercel|Vim|VirtualBox|Visual Studio Code|VS Code|VSCode|Vue.js|
    Webpack|webpack|WhatsApp|Wikidata|Wikipedia|Wireshark|Xcode|Xero|YouTube|Zapier|Zendesk|ZooKeeper|Zotero|Zulip
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
CLOUDS = frozenset(("AWS", "GCP"))
"""Names of whole families of software."""
SHARED_WORDS = frozenset(
    "Chef Consul Cypress Discord Envoy Flask Flutter Gatsby Git Helm Hugo Maven Nomad Notion Obsidian Puppet Sentry "
    "Tableau Vault Workday Zoom".split()
)
"""Names of software that are words too: they count where the document names two others."""
TECHNIQUES = frozenset(
    "APIs XML HTML JSON CSS HTTP HTTPS SSH SSL TLS GUID UUID SQL PDF CSV YAML TOML DNS DHCP TCP UDP FTP SFTP SMTP IMAP CPU "
    "GPU RAM VM VPN LDAP SAML OAuth OAuth2 OpenID REST SOAP RPC gRPC ISO ASCII UTF UTF-8 Unicode NTLM MSI RSS WMI COM CLR DLL GPS "
    "SMS USB PIN MFA 2FA Markdown JS JavaScript TypeScript jQuery PHP COBOL Fortran GraphQL LaTeX WCAG CDN DDoS IPv4 IPv6 "
    "WebSocket WebSockets WebRTC WebAssembly Wasm WASM MQTT AMQP QUIC UPnP CORS JWT JWTs Protobuf Avro Parquet AsciiDoc "
    "reStructuredText BibTeX PKI STUN Btrfs BTRFS XFS ZFS EXT4 NFS SMB iSCSI RAID RAID0 RAID1 RAID5 RAID10 SAS SATA NVMe SSD SSDs HDD HDDs Lua Zig SHA-1 SHA-256 SHA256 MD5 AES RSA SVG PNG JPEG GIF Golang Kotlin Erlang Elixir Clojure Perl Bash C++ C# F# Java Python".split()
)
"""Protocols, formats, languages, devices, which the tagger takes for organizations and places."""
PRACTICES = frozenset(
    "FAQs CLA CLAs CVE CVEs DCO EHR EHRs KPI KPIs MVP MVPs NDA NDAs OKR OKRs PRs PTO QA RFCs RFP RFPs RFQ SLA SLAs SLO SLOs TOIL DevOps DevSecOps DevRel "
    "GitOps FinOps MLOps AI ML LLM LLMs NLP OSS FOSS Kanban Scrum TDD BDD CI/CD".split()
)
"""Ways to work, and words for papers and periods."""
LICENSES = frozenset("GPL GPLv2 GPLv3 LGPL LGPLv3 AGPL AGPLv3 MIT-0 CC-BY CC-BY-SA CC0".split())
LAWS = frozenset("GDPR HIPAA CCPA FOIA COPPA FERPA".split())
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
OTHER_NAMES = {
    "ArgoCD": "Argo CD", "BugZilla": "Bugzilla", "FluentBit": "Fluent Bit", "Github": "GitHub", "GitHub.com": "GitHub", "GitLab.com": "GitLab",  "Github Desktop": "GitHub Desktop",
    "Golang": "Go", "K8s": "Kubernetes", "k8s": "Kubernetes", "Mediawiki": "MediaWiki", "NodeJS": "Node.js", "Node.JS": "Node.js",
    "nodejs": "Node.js", "OTel": "OpenTelemetry", "OTEL": "OpenTelemetry", "Opsgenie": "OpsGenie", "Postgres": "PostgreSQL",
    "ReadTheDocs": "Read the Docs", "StackOverflow": "Stack Overflow", "VS Code": "Visual Studio Code", "VSCode": "Visual Studio Code",
    "reST": "reStructuredText", "ReST": "reStructuredText", "GHA": "GitHub Actions",
}  # fmt: skip
"""What else some of it is called, to its name."""
_CONFIGURES = re.compile(r"(?!Pro|Sub)[A-Z][a-z]{2,}file")
"""*Caddyfile*, *Dockerfile*: what configures a tool is written in."""
FIRMS_TOO = frozenset(
    "Airtable|Asana|Bitbucket|Bitwarden|BrowserStack|Canva|CircleCI|Databricks|Datadog|Docker|DocuSign|Dropbox|Fastly|Figma|GitHub|GitLab|Grafana|Heroku|HubSpot|"
    "Mattermost|MongoDB|Netlify|Okta|Miro|PagerDuty|Rollbar|SendGrid|Slack|Snowflake|Splunk|Stack Overflow|Supabase|SurveyMonkey|Tailscale|Twilio|"
    "Typeform|Vercel|Zapier|Zendesk|Zoom|Sentry|Notion|Chef|Puppet".split("|")
)
"""Names of software that its makers have, too."""


def software_type(name: str) -> str:
    """The type of what a command starts."""
    return "Technology" if name in ("SSH", "Go", ".NET") else "Product"


def well_known_type(name: str) -> str:
    """What a name means wherever it stands; empty for most, and for what may be its maker as well."""
    if name in FIRMS:
        return "Organization"
    if name in TECHNIQUES:
        return "Technology"
    if name in PRACTICES:
        return "Concept"
    if name in LAWS:
        return "Law"
    if name in LICENSES:
        return "License"
    if _CONFIGURES.fullmatch(name):
        return "Technology"
    return "Product" if name in CLOUDS or (name in SOFTWARE and name not in FIRMS_TOO) else ""


def is_known_software(name: str) -> bool:
    """Whether a name is that of well-known software, or a word that is such a name in texts on software."""
    return name in SOFTWARE or name in SHARED_WORDS
