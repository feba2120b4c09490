package tidemark;

import java.util.Map;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.email.UAX29URLEmailTokenizer;
import org.apache.lucene.analysis.miscellaneous.RemoveDuplicatesTokenFilter;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/** What the index `.security` names of the module analysis-common, which the distribution does not have. */
public class SecurityIndexAnalysis extends Plugin implements AnalysisPlugin {
  @Override
  public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
    return Map.of(
        "pattern_capture", AnalysisPlugin.requiresAnalysisSettings(Capture::new),
        "unique", Unique::new);
  }

  @Override
  public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
    return Map.of("uax_url_email",
        (index, environment, name, settings) -> TokenizerFactory.newFactory(name, UAX29URLEmailTokenizer::new));
  }

  private static class Capture extends AbstractTokenFilterFactory {
    private final Pattern[] patterns;

    Capture(IndexSettings index, Environment environment, String name, Settings settings) {
      super(name);
      patterns = settings.getAsList("patterns").stream().map(Pattern::compile).toArray(Pattern[]::new);
    }

    @Override
    public TokenStream create(TokenStream stream) {
      return new PatternCaptureGroupTokenFilter(stream, true, patterns);
    }
  }

  private static class Unique extends AbstractTokenFilterFactory {
    Unique(IndexSettings index, Environment environment, String name, Settings settings) {
      super(name);
    }

    @Override
    public TokenStream create(TokenStream stream) {
      return new RemoveDuplicatesTokenFilter(stream);
    }
  }
}
